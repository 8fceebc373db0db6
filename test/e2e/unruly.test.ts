import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const extension = (member: string) => `
import { z } from "zod";
export default { id: "wild", name: "Wild", version: "1.0.0", needs: ["agent"],
${member}
};
`;

/** Runs a turn with one tool call and the extension, and checks that it ends as without the extension. */
async function wholeTurnWith(member: string) {
  using s = scratch();
  s.file("a.txt", "content of a\n");
  const path = s.file("~/.scorel/extensions/wild.ts", extension(member));
  await using server = await startModelServer([toolCall("Read", { file_path: "a.txt" }), text("done")]);
  s.useModel(server.baseUrl);
  const run = await s.run(["-p", "read it", "--output", "json"]);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ text: "done", stopReason: "stop" });
  const sent = server.requests[1]?.body.messages;
  expect(JSON.stringify(sent)).toContain("content of a");
  return { stderr: run.stderr.replaceAll(path, "wild.ts"), sent, logs: s.logs() };
}
const hooks = ["beforeToolCall", "afterToolCall", "transformContext", "convertToLlm"];
const told = (where: string) => `warning: Plugin "wild" failed in ${where}: `;

describe("a failing hook of an extension", () => {
  it.each(hooks)("%s that throws null is reported with its file", async (hook) => {
    const { stderr } = await wholeTurnWith(`hooks: () => ({ ${hook}() { throw null; } })`);
    expect(stderr).toContain(`${told(hook)}thrown value: null (wild.ts)`);
  });

  it.each(hooks)("%s that rejects late is reported with its line", async (hook) => {
    const body = 'await new Promise((done) => setTimeout(done, 20)); throw new Error("late");';
    const { stderr } = await wholeTurnWith(`hooks: () => ({ async ${hook}() { ${body} } })`);
    expect(stderr).toContain(`${told(hook)}late (wild.ts:4)`);
  });

  it.each(hooks)("%s that never settles is abandoned at its time limit", async (hook) => {
    const tap = `{ limit: 50, handler: () => new Promise(() => {}) }`;
    const { stderr } = await wholeTurnWith(`hooks: () => ({ ${hook}: ${tap} })`);
    expect(stderr).toContain(`${told(hook)}it took longer than 50 ms`);
  });

  it.each(hooks)("%s that is not a function is reported", async (hook) => {
    expect((await wholeTurnWith(`hooks: () => ({ ${hook}: 5 })`)).stderr).toContain('Plugin "wild" failed in');
  });
});

describe("an invalid result of a hook of an extension", () => {
  it.each(hooks)("%s: the turn goes on without it", async (hook) => {
    await wholeTurnWith(`hooks: () => ({ ${hook}: () => 5 })`);
  });
});

describe("an extension", () => {
  it.each([
    ["activate", "activate() { throw null; }", "start"],
    ["deactivate", "deactivate() { throw null; }", "dispose"],
    ["tools", "tools() { throw null; }", "tools"],
    ["onEvent", "onEvent() { throw null; }", "onEvent"],
  ])("that throws null in %s is reported", async (_where, member, place) => {
    const { stderr } = await wholeTurnWith(member);
    expect(stderr).toContain(told(place).slice(0, -2));
    expect(stderr).toContain("thrown value: null");
  });

  it("that changes events gets an error", async () => {
    const { stderr } = await wholeTurnWith(
      'onEvent(event) { if (event.type === "message") event.message.content = []; }',
    );
    expect(stderr).toContain(told("onEvent message"));
    expect(stderr).toContain("(wild.ts:4)");
  });

  it("that registers something while it is closed gets an error", async () => {
    const { stderr } = await wholeTurnWith(
      "activate(ctx) { this.ctx = ctx; }, deactivate() { this.ctx.subscribe(() => {}); }",
    );
    expect(stderr).toContain("it is stopped; its last registration was undone at once.");
  });

  it("that leaves a timer and a listener on the process does not keep the process running", async () => {
    const { stderr } = await wholeTurnWith(
      'activate() { setInterval(() => {}, 10); process.on("SIGUSR2", () => {}); require("node:net").createServer().listen(0); }',
    );
    expect(stderr).toBe(
      `${told("dispose")}it left something running, which was stopped: setInterval (wild.ts:4), process.on("SIGUSR2") (wild.ts:4). End it in deactivate(), or in the function that activate() returns (wild.ts)\n`,
    );
  });

  it.each([
    ["what activate() answers", 'activate() { const t = setInterval(() => {}, 10); return () => clearInterval(t); }'],
    ["deactivate()", 'activate() { this.stop = () => {}; process.on("SIGUSR2", this.stop); }, deactivate() { process.off("SIGUSR2", this.stop); }'],
    ["a timer that ends by itself", 'activate() { const t = setInterval(() => clearInterval(t), 1); process.once("SIGUSR2", () => {}); process.emit("SIGUSR2"); }'],
  ])("that ends what it started in %s is not reported", async (_where, member) => {
    expect((await wholeTurnWith(member)).stderr).toBe("");
  }); // biome-ignore format: rows

  it("that appends ten thousand events in a turn gets them into the log, and the turn ends", async () => {
    const { stderr, sent } = await wholeTurnWith(`
      hooks: (ctx) => ({ async beforeToolCall() {
        for (let n = 0; n < 10_000; n++) await ctx.session.append("custom", { kind: "wild", data: { n } });
      } })`);
    expect(stderr).toBe("");
    expect(sent).toHaveLength(4);
  });
});
