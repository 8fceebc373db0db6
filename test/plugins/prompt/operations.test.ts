import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import inspect from "@scorel/inspect";
import type { LayersService } from "@scorel/inspect/contract";
import { type AnyEvent, definePlugin } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import type {} from "@scorel/prompt/contract";
import { describe, expect, it } from "vitest";
import { ask, echoAgent, type TestHost, testHome, testHost } from "../host/home.ts";

/** The layers that `inspect` shows in addition to prompts. */
const layers = definePlugin({
  id: "layers",
  name: "Layers",
  version: "1.0.0",
  scope: "host",
  provides: ["layers"],
  activate: (ctx) => ctx.provide("layers", {} as LayersService),
});
const open = () => testHost([prompt], [], [layers, inspect]);

async function snapshotsOf({ client }: TestHost, sessionId: string): Promise<number> {
  const { events } = await client.request("get_events", { sessionId });
  return events.filter(({ event }) => event.type === "instruction_snapshot").length;
}

describe.each([
  ["kept in memory only", true],
  ["not begun yet", false],
])("in a session that is %s", (_what, unsaved) => {
  it("reloads instructions by command and by operation, on behalf of the caller", async () => {
    using home = testHome();
    await using t = await open();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, unsaved });
    writeFileSync(join(home.cwd, "AGENTS.md"), "rules");
    const { output } = await t.client.request("run_command", { sessionId, name: "refresh-instructions", args: "" });
    expect(output).toMatch(/^The instructions were read again: \d+ bytes\.$/);
    writeFileSync(join(home.cwd, "CLAUDE.md"), "\0");
    expect(await t.client.request("refresh_instructions", { sessionId })).toEqual({
      bytes: Number(/\d+/.exec(output ?? "")?.[0]),
      cut: [],
      skipped: [{ path: join(home.cwd, "CLAUDE.md"), reason: "not a text in UTF-8" }],
    });
    expect(await snapshotsOf(t, sessionId)).toBe(2);
    const { events } = await t.client.request("get_events", { sessionId });
    expect(events.map(({ event }) => (event as AnyEvent).clientId)).toEqual(["tester", "tester"]);
  });

  it("shows the stored prompt, or else a preview", async () => {
    using home = testHome();
    await using t = await open();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, unsaved });
    const before = await t.client.request("get_prompt", { cwd: home.cwd, sessionId });
    await t.client.request("refresh_instructions", { sessionId });
    writeFileSync(join(home.cwd, "AGENTS.md"), "rules");
    const after = await t.client.request("get_prompt", { cwd: home.cwd, sessionId });
    expect(before).toEqual({ ...after, frozen: false });
    expect(after).toMatchObject({ frozen: true, tools: { count: 0, bytes: 0 }, skipped: [] });
    const begunNow = await t.client.request("get_prompt", { cwd: home.cwd });
    expect(begunNow.text).toContain("\nrules\n");
    expect(home.files().filter((name) => name.endsWith(".jsonl"))).toEqual(unsaved ? [] : [`${sessionId}.jsonl`]);
  });
});

it("a copy has the latest instructions, also when they were reloaded on an abandoned branch", async () => {
  using home = testHome();
  const mover = definePlugin({
    id: "mover",
    name: "Mover",
    version: "1.0.0",
    commands: (ctx) => ({
      back: { run: async (targetEventId) => void (await ctx.session.append("rewind", { targetEventId })) },
    }),
  });
  await using t = await testHost([prompt, echoAgent, mover], [], [layers, inspect]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await ask(t.client, sessionId, "one");
  await t.client.request("refresh_instructions", { sessionId });
  const { leafId } = await t.client.request("get_status", { sessionId });
  await ask(t.client, sessionId, "a mistake");
  writeFileSync(join(home.cwd, "AGENTS.md"), "rules");
  await t.client.request("refresh_instructions", { sessionId });
  await t.client.request("run_command", { sessionId, name: "back", args: leafId ?? "" });
  const copy = await t.client.request("clone_session", { sessionId });
  writeFileSync(join(home.cwd, "AGENTS.md"), "other rules");
  const shown = (id: string) => t.client.request("get_prompt", { cwd: home.cwd, sessionId: id });
  expect(await shown(copy.sessionId)).toEqual(await shown(sessionId));
  expect((await shown(copy.sessionId)).text).toContain("\nrules\n");
});

it.each([
  [true, "Be kind"],
  [false, "Be \x1b[31mkind\x1b[0m"],
])("the text of a file cannot move the cursor of a terminal: %s", async (isTTY, shown) => {
  using home = testHome();
  await using t = await open();
  writeFileSync(join(home.cwd, "AGENTS.md"), "Be \x1b[31mkind\x1b[0m");
  const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY });
  const commands = t.kernel.collect("cliCommands").flatMap(({ value }) => value);
  const show = commands.find(({ noun, action }) => noun === "prompt" && action === "show");
  const code = await show?.run({ args: [], options: {}, cwd: home.cwd, stdout } as unknown as Invocation);
  expect(code).toBe(0);
  expect(stdout.read()).toContain(`\n${shown}\n`);
});

it("a session without the plugin reports what is missing", async () => {
  using home = testHome();
  await using t = await testHost([], [], [layers, inspect]);
  await expect(t.client.request("get_prompt", { cwd: home.cwd })).rejects.toMatchObject({ code: "INSPECT_NO_PROMPT" });
});
