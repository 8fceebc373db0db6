import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { records, scratch } from "./scorel.ts";

const spins = "for (;;) {}";
/** Where an extension can spin -> its source, and the place that is named. */
const places: [string, string, string][] = [
  ["in a hook", `hooks: () => ({ beforeToolCall() {\n${spins} } })`, "beforeToolCall"],
  ["in a hook, later", `hooks: () => ({ async beforeToolCall() { await null;\n${spins} } })`, "beforeToolCall"],
  [
    "in a listener",
    `onEvent(event) { if (event.type === "tool_execution_start")\n${spins} }`,
    "onEvent tool_execution_start",
  ],
];

it.each(places)(
  "an extension that never returns %s is named, and nothing said is lost",
  async (_where, member, place) => {
    const s = scratch();
    onTestFinished(() => s[Symbol.dispose]());
    s.file("a.txt", "content of a\n");
    const path = s.file(
      "~/.scorel/extensions/wild.ts",
      `export default { id: "wild", name: "x", version: "1", ${member} };`,
    );
    await using server = await startModelServer([
      toolCall("Read", { file_path: "a.txt" }),
      text("done"),
      text("again"),
    ]);
    s.useModel(server.baseUrl);
    const started = s.start(["-p", "read it", "--output", "events"]);
    const line = `plugin wild has let nothing else run for 3 s in ${place} (${path}:2); if it never returns, end process ${started.pid}`;
    await started.said(line);
    started.child.kill("SIGKILL");
    await started.finished;
    const [log = ""] = s.logs();
    expect(readFileSync(log.replace(/\.jsonl$/, ".log"), "utf8")).toContain(`error ${line}\n`);
    s.file("~/.scorel/extensions/wild.ts", 'export default { id: "wild", name: "x", version: "1" };');
    const before = records(log);
    expect(await s.run(["-p", "and now", "--continue"])).toMatchObject({ code: 0, stdout: "done\n" });
    expect(records(log).slice(0, before.length)).toEqual(before);
    expect(before.map(({ message }) => (message as { role?: string } | undefined)?.role)).toContain("assistant");
  },
);
