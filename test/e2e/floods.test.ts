import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { records, scratch } from "./scorel.ts";

const MANY = 100_000;
const plugin = (id: string, members: string) =>
  `export default { id: "${id}", name: "x", version: "1", needs: ["agent"], ${members} };`;
const inHook = (id: string, code: string) =>
  plugin(id, `hooks: (ctx) => ({ beforeToolCall() { for (let n = 0; n < ${MANY}; n++) ${code}; } })`);
const event = (payload: string) => `events: { PAYLOAD: { schema: require("zod").z.object({}), ${payload} } }`;

/** An extension that does something without end -> its source, and the name of the limit that stops it. */
const floods: [id: string, source: string, where: string][] = [
  ["writes", inHook("writes", 'void ctx.session.append("custom", { kind: "x", data: { n } })'), "session.append"],
  ["tells", plugin("tells", `${event("transient: true").replace("PAYLOAD", "told")}, hooks: (ctx) => ({ beforeToolCall() { for (let n = 0; n < ${MANY}; n++) ctx.session.emit("told", {}); } })`), "session.emit"],
  ["feeds", plugin("feeds", 'onEvent: (_event, ctx) => void ctx.session.append("custom", { kind: "x", data: {} })'), "session.append"],
  ["notifies", inHook("notifies", 'ctx.ui.notify("look " + n)'), "ui.notify"],
  ["steers", inHook("steers", 'ctx.agent.steer("go left " + n)'), "agent.steer"],
  ["cleans", inHook("cleans", 'ctx.agent.steer("go left " + n)').replace("beforeToolCall", "beforeStore: async () => undefined, beforeToolCall"), "agent.steer"],
]; // biome-ignore format: a row each

it.each(floods)(
  "an extension that %s without end is stopped by a limit, and the turn ends",
  async (id, source, where) => {
    using s = scratch();
    s.file("a.txt", "content of a\n");
    const path = s.file(`~/.scorel/extensions/${id}.ts`, source);
    await using server = await startModelServer((_request, index) =>
      index === 0 ? toolCall("Read", { file_path: "a.txt" }) : text("done"),
    );
    s.useModel(server.baseUrl);
    const run = await s.run(["-p", "read it", "--output", "json"]);
    expect([run.code, JSON.parse(run.stdout)], run.stderr).toMatchObject([0, { text: "done", stopReason: "stop" }]);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("content of a");
    expect(run.stderr).toContain(`Plugin "${id}" failed in ${where}: it exceeded the limit of `);
    expect(run.stderr).toContain(path);
    expect(run.stderr.split("\n").length).toBeLessThan(300);
    const log = records(s.logs()[0] as string);
    expect(log.length).toBeLessThan(40_000);
    expect(log.map(({ message }) => (message as { role?: string } | undefined)?.role)).toContain("tool_result");
  },
);

it("errors that an extension throws without end outside of a session are reported ten times", async () => {
  using s = scratch();
  const throws = `for (let n = 0; n < ${MANY}; n++) void Promise.reject(null);`;
  s.file("~/.scorel/extensions/throws.ts", plugin("throws", `activate() { ${throws} }`));
  await using server = await startModelServer([text("done")]);
  s.useModel(server.baseUrl);
  const run = await s.run(["-p", "go"]);
  expect([run.code, run.stdout]).toEqual([0, "done\n"]);
  const told = run.stderr.split("\n").filter((line) => line.includes("thrown value: null"));
  expect(told).toHaveLength(10);
  expect(run.stderr).toContain("what else they throw there is not told");
});

it.each([
  ["throws", '() => { throw new Error("no rules"); }', "no rules"],
  ["throws null", "() => { throw null; }", "thrown value: null"],
  ["rejects", 'async () => { throw new Error("no rules"); }', "no rules"],
  ["never answers", "() => new Promise(() => {})", "took longer than 100 ms"],
  ["answers what is no answer", "() => 5", "must return"],
])("a guard of an extension that %s denies every call, and is never switched off", async (_how, handler, reason) => {
  using s = scratch();
  s.file("a.txt", "content of a\n");
  const guard = `hooks: () => ({ approveToolCall: { critical: true, limit: 100, handler: ${handler} } })`;
  s.file("~/.scorel/extensions/guard.ts", plugin("guard", guard));
  const calls = Array.from({ length: 5 }, () => toolCall("Read", { file_path: "a.txt" }));
  await using server = await startModelServer([...calls, text("done")]);
  s.useModel(server.baseUrl);
  const run = await s.run(["-p", "read it", "--output", "json"]);
  expect([run.code, JSON.parse(run.stdout)], run.stderr).toMatchObject([0, { text: "done" }]);
  const results = server.requests.at(-1)?.body.messages.filter(({ role }: { role: string }) => role === "tool");
  expect(results).toHaveLength(5);
  for (const { content } of results) {
    expect(content).toContain('The guard of plugin "guard" on "approveToolCall" failed, so the action is denied');
    expect(content).toContain(reason);
  }
  expect(run.stderr).toContain('Plugin "guard" failed in approveToolCall');
});
