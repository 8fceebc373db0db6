import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

/**
 * Saves the compiled code of a used home, and copies it to each new home with a model (see `scratch`), since compiling takes as
 * long as a turn. Returns a function that removes it.
 */
export default async function warm(): Promise<() => void> {
  const kept = mkdtempSync(join(tmpdir(), "scorel-warm-"));
  const s = scratch({ cold: true });
  const calls = [toolCall("Read", { file_path: "a.txt" }), toolCall("Bash", { command: "true" })];
  const server = await startModelServer([calls, text("done"), text("again")]);
  try {
    s.useModel(server.baseUrl);
    s.file("a.txt", "words\n");
    await s.run(["-p", "read it", "--output", "json"]);
    await s.run(["session", "list"]);
    await s.run(["chat"], { input: "hello\n/help\n" });
    cpSync(join(s.home, ".scorel/cache/code"), kept, { recursive: true });
  } finally {
    await server.close();
    s[Symbol.dispose]();
  }
  process.env.SCOREL_TEST_WARM = kept;
  return () => rmSync(kept, { recursive: true, force: true });
}
