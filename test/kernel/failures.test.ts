import { type BaseContext, definePlugin } from "@scorel/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Logger } from "../../kernel/types.ts";
import { contained, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

const base = { name: "x", version: "1.0.0" };
afterEach(() => void vi.useRealTimers());

/** A plugin whose context is accessible to the test. */
function lent(id: string, contexts: Map<string, BaseContext>) {
  return definePlugin({ ...base, id, activate: (ctx) => void contexts.set(id, ctx) });
}

function memoryLogger() {
  const lines: [level: string, text: string][] = [];
  const at = (level: string) => (text: string) => void lines.push([level, text]);
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { lines, logger };
}

async function setUp() {
  const contexts = new Map<string, BaseContext>();
  const { lines, logger } = memoryLogger();
  const t = await testKernel([notes, lent("one", contexts), lent("two", contexts)], { logger });
  const context = (id: string) => contexts.get(id) as BaseContext;
  const announced = async () =>
    (await t.heard())
      .filter(({ type }) => type === "plugin_failure")
      .map((event) => (event as unknown as { plugin: string }).plugin);
  return { ...t, context, lines, announced };
}

describe("failures of a plugin", () => {
  it("are all listed and logged, but in each place only the first three are announced", async () => {
    await using t = await setUp();
    for (let n = 0; n < 5; n++) t.context("one").report("place a", new Error(`a${n}`));
    t.context("one").report("other", new Error("b"));
    t.context("one").report("other", new Error("c"), "two");
    expect(t.kernel.failures.map(({ plugin, where, message }) => `${plugin} ${where} ${message}`)).toEqual([
      ...["one place a a0", "one place a a1", "one place a a2", "one place a a3", "one place a a4"],
      ...["one other b", "two other c"],
    ]);
    expect(t.lines.slice(-3)).toEqual([
      ["warn", 'Plugin "one" failed in place a: a4'],
      ["warn", 'Plugin "one" failed in other: b'],
      ["warn", 'Plugin "two" failed in other: c'],
    ]);
    expect(await t.announced()).toEqual(["one", "one", "one", "one", "two"]);
  });

  it("are listed, logged and announced without keys, which errors of extensions can quote", async () => {
    const contexts = new Map<string, BaseContext>();
    const logged: unknown[][] = [];
    const add = (...line: unknown[]) => void logged.push(line);
    const logger: Logger = { debug: add, info: add, warn: add, error: add };
    const redact = (text: string) => text.replaceAll("sk-1234", "[redacted]");
    await using t = await testKernel([lent("one", contexts)], { logger, redact });
    contexts.get("one")?.report("place", new Error("sk-1234 was refused"));
    contexts.get("one")?.logger.info("the answer for sk-1234", { headers: ["sk-1234"] });
    const events = (await t.heard()).filter(({ type }) => type === "plugin_failure");
    expect([t.kernel.failures, events, logged]).toMatchObject([
      [{ message: "[redacted] was refused" }],
      [{ message: "[redacted] was refused" }],
      [
        ['Plugin "one" failed in place: [redacted] was refused', expect.stringContaining("Error: [redacted] was")],
        ["the answer for [redacted]", "{ headers: [ '[redacted]' ] }"],
      ],
    ]);
    expect(JSON.stringify(logged)).not.toContain("sk-1234");
  });

  it("are announced again once the plugin has been loaded again, without those of other plugins", async () => {
    await using t = await setUp();
    const fail = (id: string) => {
      for (let n = 0; n < 4; n++) t.context(id).report("place", new Error("no"));
    };
    fail("one");
    fail("two");
    await t.kernel.unload("one");
    fail("one");
    fail("two");
    expect(await t.announced()).toEqual([..."111222111"].map((mark) => (mark === "1" ? "one" : "two")));
  });

  it("are logged up to 100 times in each place, and listed up to 1000 times", async () => {
    await using t = await setUp();
    for (let n = 0; n < 1_001; n++) t.context("one").report("place", new Error(`${n}`));
    const logged = t.lines.map(([, text]) => text);
    expect([logged.length, logged.slice(-2)]).toEqual([
      101,
      ['Plugin "one" failed in place: 99', 'Further failures of plugin "one" in this place are not logged.'],
    ]);
    expect([t.kernel.failures.length, t.kernel.failures.at(-1)?.message]).toEqual([1_000, "999"]);
  });

  it("are listed but not announced before the log is opened and after it is closed", async () => {
    const broken = definePlugin({ ...base, id: "broken", events: { odd: { schema: z.object({ seq: z.number() }) } } });
    const contexts = new Map<string, BaseContext>();
    await using t = await testKernel([contained(broken), lent("one", contexts)]);
    expect([t.session.seq, await t.heard()]).toEqual([0, []]);
    await t.kernel.stop();
    contexts.get("one")?.report("late", new Error("too late"));
    expect(t.kernel.failures.map(({ plugin, where, code }) => [plugin, where, code])).toEqual([
      ["broken", "start", "EVENT_RESERVED_KEY"],
      ["one", "late", "UNEXPECTED"],
    ]);
  });

  it("are notices of the plugin if they name no place", async () => {
    await using t = await setUp();
    t.context("one").report("", new Error("look here"));
    expect([t.lines, t.kernel.failures]).toEqual([
      [["warn", 'Plugin "one": look here']],
      [{ plugin: "one", where: "", code: "UNEXPECTED", message: "look here" }],
    ]);
  });

  it("of listeners to failures are not announced, so that they do not cause each other", async () => {
    const broken = definePlugin({
      ...base,
      id: "broken",
      onEvent: () => {
        throw new Error("deaf");
      },
    });
    await using t = await testKernel([notes, broken]);
    t.session.emit("tick", { n: 1 });
    expect((await t.heard()).map(({ type }) => type)).toEqual(["tick", "plugin_failure"]);
    expect(t.kernel.failures.map(({ where }) => where)).toEqual(["onEvent tick", "onEvent plugin_failure"]);
  });

  it("of an awaited function yield a substitute result", async () => {
    vi.useFakeTimers();
    await using t = await setUp();
    const guarded = { plugin: "one", where: "asking", otherwise: "none" };
    const ask = <T>(work: () => T, more = {}) => t.context("two").attempt({ ...guarded, ...more } as never, work);
    const fail = () => {
      throw new Error("broken");
    };
    const answers = [ask(() => "now"), ask(fail), await ask(async () => "soon"), await ask(async () => fail())];
    const late = ask(() => new Promise(() => {}));
    const later = ask(() => new Promise(() => {}), { limit: 20_000 });
    let settled = 0;
    for (const each of [late, later]) void (each as Promise<unknown>).then(() => settled++);
    await vi.advanceTimersByTimeAsync(9_999);
    const before = settled;
    await vi.advanceTimersByTimeAsync(10_001);
    expect([answers, before, await late, await later, ask(fail, { containedOnly: true })]).toEqual([
      ["now", "none", "soon", "none"],
      0,
      ...["none", "none", "none"],
    ]);
    expect(t.kernel.failures.map(({ plugin, where, message }) => [plugin, where, message])).toEqual([
      ["one", "asking", "broken"],
      ["one", "asking", "broken"],
      ["one", "asking", 'Plugin "one" took longer than 10000 ms in asking; its result is ignored.'],
      ["one", "asking", 'Plugin "one" took longer than 20000 ms in asking; its result is ignored.'],
    ]);
  });

  it("in work that is isolated are reported, and its promise still resolves", async () => {
    await using t = await setUp();
    const seen: unknown[] = [];
    const work = t.context("one").isolate("work", async (n: number) => {
      seen.push(n);
      if (n === 2) throw new Error("two");
    });
    expect([await work(1), await work(2), seen, t.kernel.failures]).toEqual([
      ...[undefined, undefined, [1, 2]],
      [{ plugin: "one", where: "work", code: "UNEXPECTED", message: "two" }],
    ]);
  });
});

describe("ctx.ui without a plugin that provides one", () => {
  it("answers questions with their defaults and writes notices to the log file", async () => {
    await using t = await setUp();
    const ui = t.context("one").ui as unknown as Record<string, (...given: unknown[]) => unknown>;
    const { attended, status, notify, select, confirm, input } = ui;
    expect({
      attended,
      status: status?.("busy"),
      select: [await select?.("Which?", ["a"]), await select?.("Which?", ["a"], { default: "a" })],
      confirm: [await confirm?.("Sure?"), await confirm?.("Sure?", {}), await confirm?.("Sure?", { default: true })],
      input: [await input?.("Name?"), await input?.("Name?", { default: "Ann" })],
    }).toEqual({
      ...{ attended: false, status: undefined, select: [undefined, "a"], confirm: [false, false, true] },
      input: [undefined, "Ann"],
    });
    for (const level of [undefined, "info", "warning", "error"]) notify?.(`level ${level}`, level);
    expect(t.lines).toEqual([
      ["info", 'Plugin "one": level undefined'],
      ["info", 'Plugin "one": level info'],
      ["warn", 'Plugin "one": level warning'],
      ["error", 'Plugin "one": level error'],
    ]);
  });
});

describe("a converter", () => {
  const event = (convertToLlm: () => never, more = {}) =>
    definePlugin({ ...base, id: "odd", events: { addition: { schema: z.object({}), convertToLlm, ...more } } });
  const fail = () => {
    throw new Error("no words");
  };

  it("that fails is reported for its plugin, and its event is left out of the context and shown by its type", async () => {
    await using t = await testKernel([notes, event(fail, { convertToDisplay: fail, toListener: fail })]);
    await t.session.append("note", { text: "a" });
    const odd = await t.session.append("addition" as never, {} as never);
    const shown = [t.session.buildContext(), t.session.display(odd as never), t.session.asListened(odd as never)];
    expect(shown).toEqual([["a"], { display: "notice", level: "info", text: "[addition]" }, odd]);
    const failure = { plugin: "odd", code: "UNEXPECTED", message: "no words" };
    expect(t.kernel.failures).toEqual([
      { ...failure, where: "convertToLlm of addition" },
      { ...failure, where: "convertToDisplay of addition" },
      { ...failure, where: "toListener of addition" },
    ]);
  });

  it("for listeners adds fields, and has to return an object", async () => {
    const results: unknown[] = [{ more: 1 }, undefined, "text", Promise.resolve({ more: 2 }), null];
    const toListener = () => results.shift();
    await using t = await testKernel([notes, event(fail, { toListener })]);
    const odd = (await t.session.append("addition" as never, {} as never)) as never as object;
    const heard = [1, 2, 3, 4, 5].map(() => t.session.asListened(odd as never));
    expect(heard).toEqual([{ ...odd, more: 1 }, odd, odd, odd, odd]);
    expect(t.kernel.failures.map(({ where, code }) => [where, code])).toEqual(
      Array.from({ length: 3 }, () => ["toListener of addition", "EVENT_LISTENED"]),
    );
    const tick = t.session.emit("tick", { n: 1 });
    expect(t.session.asListened(tick)).toBe(tick);
  });
});

describe("events of the kernel for display", () => {
  const shown = (type: string, payload: object) => ({ type, seq: 1, sessionId: "s", clientId: "c", ts: 0, ...payload });

  it.each([
    ["plugin_failure", { where: "tools", message: "broken" }, 'Plugin "p" failed in tools: broken'],
    [
      "plugin_failure",
      { where: "tools", message: "broken", at: "a.ts:3" },
      'Plugin "p" failed in tools: broken (a.ts:3)',
    ],
    ["plugin_failure", { where: "", message: "look" }, "look"],
    ["plugin_failure", { where: "", message: "look", at: "a.ts" }, 'Plugin "p": look (a.ts)'],
    ["epoch", { reason: "line 3: json" }, "The log lost data: line 3: json"],
  ])("are warnings: %s %j", async (type, payload, text) => {
    await using t = await testKernel([]);
    expect(t.session.display(shown(type, { plugin: "p", ...payload }))).toEqual({
      ...{ display: "notice", level: "warning", text },
    });
  });

  it("say whether the session is saved", async () => {
    await using t = await testKernel([notes]);
    expect([
      t.session.display(shown("storage_status", { error: "disk full" })),
      t.session.display(shown("storage_status", {})),
      t.session.display(shown("tick", { n: 1 })),
      t.session.display(shown("nobody", {})),
    ]).toEqual([
      { display: "notice", level: "error", text: "The session cannot be saved: disk full" },
      { display: "notice", level: "info", text: "The session is being saved again." },
      { display: "hidden" },
      { display: "notice", level: "info", text: "[nobody]" },
    ]);
  });
});
