import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTrustService } from "../../presets/composition/trust.ts";
import { modelTable } from "../e2e/scorel.ts";
import { hang, startModelServer } from "../model-server.ts";
import { askedIn } from "./asked.ts";
import { type Place, place } from "./place.ts";
import { desk } from "./session-desk.ts";

/** An extension with a timer that registers every kind of contribution. */
const everything = (said = "one") => `import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "everything",
  name: "Everything",
  version: "1.0.0",
  needs: ["agent", "tools", "ui"],
  provides: ["everything"],
  config: z.strictObject({ word: z.string().default("hello") }),
  events: {
    everything_noted: {
      schema: z.object({ text: z.string() }),
      leaf: (_event, current) => current,
      convertToLlm: () => ({ action: "skip" }),
      convertToDisplay: ({ text }) => ({ display: "notice", level: "info", text }),
    },
    everything_passing: { transient: true, schema: z.object({}) },
  },
  projections: {
    everythingNoted: {
      over: "log",
      reads: ["everything_noted"],
      init: () => [],
      update: (state, { text }) => (text ? [...state, text] : state),
    },
    everythingPath: { over: "path", init: () => 0, update: (state) => state + 1 },
  },
  activate(ctx) {
    ctx.provide("everything", { said: "${said}" });
    const timer = setInterval(() => ctx.session.emit("everything_passing", {}), 60_000);
    ctx.onDispose(() => clearInterval(timer));
    ctx.subscribe(() => {});
    ctx.agent.subscribe(() => {});
    ctx.defineHook("everythingAsked", "waterfall");
    ctx.hook("convertToLlm", (messages) => messages);
    ctx.ui.status("everything", "on");
    return () => {};
  },
  deactivate() {},
  onEvent() {},
  hooks: () => ({
    beforeToolCall: { critical: true, handler: () => undefined },
    afterToolCall: () => undefined,
    transformContext: (messages) => messages,
    convertToLlm: { level: "late", handler: (messages) => messages },
  }),
  tools: () => [{ name: "Everything", description: "None.", parameters: z.object({}), execute: async () => "${said}" }],
  commands: (ctx) => ({
    note: { run: async (text) => void (await ctx.session.append("everything_noted", { text })) },
    noted: { run: () => ctx.session.projection("everythingNoted").join(", ") },
    said: { run: () => "${said}, " + ctx.config.word },
  }),
  operations: () => ({ everything: { params: z.object({ sessionId: z.string() }), run: () => "${said}" } }),
  promptParts: () => [],
});
`;

const inHome = "~/.scorel/extensions/everything.ts";
const offline = { model: "offline/demo" } as const;
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("a session that is reloaded", () => {
  it("has the same registrations as before, however often it is reloaded", async () => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId, notices } = await d.client.request("create_session", { cwd: at.project, ...offline });
    expect(notices).toEqual([]);
    const census = async () => (await d.inside(sessionId)).kernel.census();
    const before = { census: await census(), timers: timers() };
    expect(before.census).toMatchObject({
      "plugin everything": expect.any(Number),
      "service everything": 1,
      "hook everythingAsked": 0,
      "event everything_noted": 1,
      "event everything_passing": 1,
      "projection everythingNoted": 1,
      "projection everythingPath": 1,
    });
    for (let time = 0; time < 20; time++) await d.client.request("reload_session", { sessionId });
    expect({ census: await census(), timers: timers() }).toEqual(before);
  });

  it("keeps the state that its extensions store in events", async () => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    await d.say(sessionId, "/note plums");
    await d.client.request("reload_session", { sessionId });
    await d.say(sessionId, "/note pears");
    await d.client.request("reload_session", { sessionId });
    expect(await d.say(sessionId, "/noted")).toBe("plums, pears");
  });

  it("uses the current code and configuration, and drops removed extensions", async () => {
    using at = place();
    const file = at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    const said = async () => {
      await d.client.request("reload_session", { sessionId });
      return d.say(sessionId, "/said");
    };
    expect(await d.say(sessionId, "/said")).toBe("one, hello");
    at.file(inHome, everything("two"));
    expect(await said()).toBe("two, hello");
    at.file("~/.scorel/config.toml", "[everything]", 'word = "good-bye"');
    expect(await said()).toBe("two, good-bye");
    for (const gone of [file, join(at.home, ".scorel/config.toml")]) rmSync(gone);
    await expect(said()).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
  });

  it("loads a changed helper file", async () => {
    using at = place();
    const file = at.file("~/.scorel/extensions/mine/index.ts", commandFrom("./words.ts"));
    const words = (text: string) =>
      at.file(join(file, "../words.ts").replace(at.home, "~"), `export default "${text}";`);
    words("one");
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    expect(await d.say(sessionId, "/mine")).toBe("one");
    words("two");
    await d.client.request("reload_session", { sessionId });
    expect(await d.say(sessionId, "/mine")).toBe("two");
  });

  it("keeps the options that it was opened with, and those chosen since", async () => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at, { preset: "coding" });
    const options = {
      ...offline,
      tools: ["Read"],
      thinking: "off",
      permission: "full",
      allowWrite: [at.home],
    } as const;
    const { sessionId } = await d.client.request("create_session", {
      cwd: at.project,
      ...options,
      appendSystemPrompt: "Please.",
    });
    await d.say(sessionId, "/permission plan");
    const of = async () => {
      const { model, tools, thinking, permission, allowWrite, appendSystemPrompt } = (await d.inside(sessionId))
        .workspace;
      return { model, tools, thinking, permission, allowWrite, appendSystemPrompt };
    };
    const before = await of();
    await d.client.request("reload_session", { sessionId });
    expect(await of()).toEqual(before);
    expect(before).toEqual({ ...options, permission: "plan", appendSystemPrompt: "Please." });
  });

  it("is refused while a turn runs or the conversation is held", async () => {
    using at = place();
    await using server = await startModelServer(() => hang());
    at.file("~/.scorel/config.toml", modelTable(server.baseUrl));
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project });
    const busy = { code: "HOST_SESSION_BUSY" };
    const { id } = await d.client.request("send_message", { sessionId, content: "hi" });
    await expect(d.client.request("reload_session", { sessionId })).rejects.toMatchObject(busy);
    await d.client.request("cancel", { sessionId });
    await d.client.request("wait_turn", { sessionId, id });
    const hold = (await d.inside(sessionId)).kernel.session.hold();
    await expect(d.client.request("reload_session", { sessionId })).rejects.toMatchObject(busy);
    await hold.release();
    await d.client.request("reload_session", { sessionId });
    expect((await d.client.request("wait_turn", { sessionId, id })).reason).toBe("cancelled");
  });

  it("is opened once when two clients ask at the same time", async () => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    const heard: string[] = [];
    const watcher = d.another();
    await watcher.subscribe(sessionId, ({ event }) => void heard.push(event.type));
    const reload = () => d.client.request("reload_session", { sessionId });
    const [one, two] = await Promise.all([reload(), reload()]);
    await watcher.drained(sessionId);
    expect([one.anchor.activation, heard]).toEqual([two.anchor.activation, ["session_end", "session_start"]]);
    await watcher.close();
  });

  it.each([
    ["not stored yet", {}],
    ["kept in memory only", { unsaved: true }],
  ])("may be %s", async (_what, options) => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline, ...options });
    await d.client.request("reload_session", { sessionId });
    await d.say(sessionId, "/note plums");
    const { meta } = await d.client.request("reload_session", { sessionId });
    expect([await d.say(sessionId, "/noted"), meta.cwd]).toEqual(["plums", at.project]);
  });

  it("keeps its subscribers", async () => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    const watcher = d.another();
    const heard: string[] = [];
    const stop = await watcher.subscribe(sessionId, ({ event }) => void heard.push(event.type));
    await d.client.request("reload_session", { sessionId });
    await d.say(sessionId, "/note plums");
    await watcher.drained(sessionId);
    expect(heard).toEqual(["session_end", "session_start", "everything_noted"]);
    await stop();
    await d.say(sessionId, "/note pears");
    await watcher.drained(sessionId);
    expect(heard).toHaveLength(3);
    await watcher.close();
    expect(await d.say(sessionId, "/noted")).toBe("plums, pears");
  });
});

describe("a session that cannot be reloaded goes on as it was", () => {
  const broken: Record<string, { change(at: Place): void; code: string; says: (at: Place) => string }> = {
    "when an extension does not parse": {
      change: (at) => at.file(inHome, everything().replace('  name: "Everything",', "  name: = 1,")),
      code: "HOST_RELOAD",
      says: ({ home }) => `${home}/.scorel/extensions/everything.ts:6`,
    },
    "when an extension throws where it starts": {
      change: (at) =>
        at.file(inHome, everything().replace("deactivate() {},", "").replace("return () => {};", "fall();")),
      code: "HOST_RELOAD",
      says: ({ home }) => `fall is not defined (${home}/.scorel/extensions/everything.ts:38)`,
    },
    "when the configuration of an extension is wrong": {
      change: (at) => at.file("~/.scorel/config.toml", "[everything]", "word = 1"),
      code: "HOST_RELOAD",
      says: () => "Invalid value of everything.word",
    },
    "when the configuration is wrong": {
      change: (at) => at.file("~/.scorel/config.toml", "wrods = 1"),
      code: "CONFIG_INVALID",
      says: ({ home }) => `${home}/.scorel/config.toml:1`,
    },
    "when a plugin is missing that others need": {
      change: (at) => at.file("~/.scorel/config.toml", 'without = ["model"]'),
      code: "PLUGIN_MISSING_SERVICE",
      says: () => '"model"',
    },
  };

  it.each(Object.entries(broken))("%s", async (_what, { change, code, says }) => {
    using at = place();
    at.file(inHome, everything());
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    await d.say(sessionId, "/note plums");
    const census = async () => (await d.inside(sessionId)).kernel.census();
    const before = await census();
    at.file(inHome, everything("two"));
    change(at);
    const reload = d.client.request("reload_session", { sessionId });
    await expect(reload).rejects.toMatchObject({ code, message: expect.stringContaining(says(at)) });
    expect([await d.say(sessionId, "/said"), await d.say(sessionId, "/noted")]).toEqual(["one, hello", "plums"]);
    expect(await census()).toEqual(before);
    rmSync(join(at.home, ".scorel/config.toml"), { force: true });
    at.file(inHome, everything("two"));
    await d.client.request("reload_session", { sessionId });
    expect(await d.say(sessionId, "/said")).toBe("two, hello");
  });

  it("unless the broken extension was broken before", async () => {
    using at = place();
    at.file(inHome, everything());
    at.file("~/.scorel/extensions/other.ts", "export default {");
    await using d = await desk(at);
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    at.file(inHome, everything("two"));
    at.file("~/.scorel/extensions/other.ts", "export default [");
    const { notices } = await d.client.request("reload_session", { sessionId });
    expect(await d.say(sessionId, "/said")).toBe("two, hello");
    expect(notices).toMatchObject([{ code: "EXTENSION_LOAD" }]);
  });

  it("when its project has changed since it was trusted; the error says how to trust it", async () => {
    using at = place();
    const inProject = ".scorel/extensions/everything.ts";
    at.file(inProject, everything());
    await using d = await desk(at);
    const trust = createTrustService(askedIn(at.project, { preset: "base" }).asked);
    await (await trust.review(at.project, true))?.accept();
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, ...offline });
    at.file(inProject, everything("two"));
    await expect(d.client.request("reload_session", { sessionId })).rejects.toMatchObject({
      code: "HOST_RELOAD",
      message: expect.stringMatching(
        /has changed since you trusted it[\s\S]*scorel trust add[\s\S]*scorel trust --dev/,
      ),
    });
    expect([await d.say(sessionId, "/said"), d.notices]).toEqual(["one, hello", []]);
    await trust.trustByPath(at.project);
    await d.client.request("reload_session", { sessionId });
    expect(await d.say(sessionId, "/said")).toBe("two, hello");
  });
});

function commandFrom(helper: string): string {
  return `import text from "${helper}";
export default { id: "mine", name: "Mine", version: "1.0.0", commands: () => ({ mine: { run: () => text } }) };`;
}
