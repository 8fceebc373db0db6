import { basename } from "node:path";
import { expect, it } from "vitest";
import { hang, startModelServer, text, toolCall } from "../model-server.ts";
import { modelTable, scratch } from "./scorel.ts";

it("session show names the call of each result, also of hundreds of one reply in a log that is not read whole", async () => {
  using s = scratch();
  const files = Array.from({ length: 900 }, (_, at) => `f${at}.txt`);
  // The log has about 4 MB, of which `--tail` reads the last one.
  for (const name of files) s.file(name, `${"x".repeat(79)}\n`.repeat(50));
  await using model = await startModelServer([
    files.map((name) => toolCall("Read", { file_path: name })),
    text("Done."),
  ]);
  s.useModel(model.baseUrl);
  s.file("~/.scorel/config.toml", modelTable(model.baseUrl).replace("128000", "100000000"));
  expect((await s.run(["-p", "go"])).code).toBe(0);
  const id = /([\w-]+)\.jsonl$/.exec(s.logs()[0] as string)?.[1] as string;
  const named = async (...more: string[]) => {
    const { stdout } = await s.run(["session", "show", id, ...more]);
    return stdout.split("\n").flatMap((line) => /^Read (.*)$/.exec(line)?.[1] ?? []);
  };
  // Results are in the order in which the calls ended.
  expect((await named()).sort()).toEqual([...files].sort());
  const last = await named("--tail", "10");
  expect([last.length, last.filter((name) => !files.includes(name))]).toEqual([9, []]);
});

it("session show marks a reply that was interrupted", async () => {
  using s = scratch();
  await using server = await startModelServer([[text("Half of"), hang()]]);
  s.useModel(server.baseUrl);
  const running = s.start(["-p", "hi", "--output", "events"]);
  await running.line((line) => line.includes('"text_delta"'));
  process.kill(running.pid, "SIGINT");
  await running.finished;
  const id = basename(s.logs()[0] ?? "", ".jsonl");
  expect((await s.run(["session", "show", id])).stdout).toBe("user: hi\n\nassistant: Half of\n(cut off here)\n\n");
});
