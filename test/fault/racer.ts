import { createInterface } from "node:readline";
import { codeOf, createKernel, type Kernel, messageOf } from "@scorel/kernel";
import { createSessionStore } from "../../plugins/host/storage/session-store.ts";
import { jsonlLogs } from "../../plugins/logs/service.ts";
import { notes } from "../kernel/notes.ts";

/**
 * Opens the log that a line on stdin names, appends a note, and keeps it open until a line `close`; prints each result.
 */
let kernel: Kernel | undefined;
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const answer = line === "close" ? await close() : await open(line);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function open(path: string): Promise<object> {
  try {
    const store = createSessionStore({
      logs: jsonlLogs,
      path,
      sessionId: "session000000001",
      onPartialFailure: () => {},
    });
    kernel = await createKernel({ entries: [{ plugin: notes, origin: "test" }], store });
    await kernel.session.append("note", { text: String(process.pid) });
    return { wrote: process.pid };
  } catch (thrown) {
    return { code: codeOf(thrown), message: messageOf(thrown) };
  }
}

async function close(): Promise<object> {
  await kernel?.stop();
  kernel = undefined;
  return { closed: true };
}
