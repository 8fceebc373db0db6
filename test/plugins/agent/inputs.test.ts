import type { AnyPlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { contained } from "../../harness.ts";
import { text, toolCall } from "../../model-server.ts";
import { extension, openAgent, says, tool } from "./setup.ts";

/** Clears and overwrites everything that is reachable from a value. */
function overwriteAll(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    overwriteAll(Reflect.get(value, key));
    Reflect.set(value, key, "vandalised");
  }
  if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0;
}
function andThrow(value: unknown): never {
  overwriteAll(value);
  throw new Error("and it throws");
}

/** Runs two turns with a call, with an extension and after it one that records its inputs. Returns them. */
async function conversation(own?: Partial<AnyPlugin>) {
  const shown: Record<string, string[]> = {};
  const note = (what: string) => (input: { type?: string }) => {
    // The reply in these events may include later parts, as far as they have arrived, so it differs between runs.
    const told = input.type === "message_update" ? { ...input, message: undefined } : input;
    if (input.type !== "plugin_failure") shown[what] = [...(shown[what] ?? []), withoutTimes(told)];
  };
  const witness = extension("witness", {
    hooks: () =>
      Object.fromEntries(
        ["beforeToolCall", "approveToolCall", "afterToolCall", "transformContext", "convertToLlm"].map((hook) => [
          hook,
          note(hook),
        ]),
      ),
    onEvent: note("onEvent"),
    activate: (ctx) => ctx.agent.subscribe(note("subscribe")),
  });
  const echo = tool("echo", async (_id, { say }: { say: string[] }) => ({ ...says(say.join(" ")), details: { say } }));
  const vandal = contained(extension("vandal", own ?? {}));
  await using a = await openAgent([toolCall("echo", { say: ["a", "b"] }), text("done"), text("bye")], {
    tools: [echo],
    plugins: [vandal, witness],
  });
  await a.agent.prompt("go");
  await a.agent.prompt("and on");
  await a.kernel.drained();
  return {
    sent: a.server.requests.map(({ body }) => body.messages),
    stored: a.stored().map(withoutTimes),
    shown,
    failed: new Set(a.kernel.failures.map(({ plugin, where }) => `${plugin} ${where}`)),
  };
}

/** An input as JSON without values that differ between runs, and without failures, which are events, too. */
function withoutTimes(input: unknown): string {
  const volatile = new Set(["ts", "timestamp", "seq", "id", "parentId", "duration", "durationMs", "signal", "partial"]);
  return JSON.stringify(input, (key, value) => (volatile.has(key) || /Id$|Ids$/.test(key) ? undefined : value));
}

/**
 * The places where an extension receives data: an extension that changes the data, and the expected failure, if any.
 */
const places: [string, Partial<AnyPlugin>, string?][] = [
  ["transformContext", { hooks: () => ({ transformContext: andThrow }) }, "vandal transformContext"],
  ["transformContext, later", { hooks: () => ({ transformContext: async (all) => andThrow(all) }) }, "vandal transformContext"],
  ["convertToLlm", { hooks: () => ({ convertToLlm: andThrow }) }, "vandal convertToLlm"],
  ["beforeToolCall", { hooks: () => ({ beforeToolCall: andThrow }) }, "vandal beforeToolCall"],
  ["approveToolCall", { hooks: () => ({ approveToolCall: (call) => void overwriteAll(call) }) }],
  ["approveToolCall, and throws", { hooks: () => ({ approveToolCall: andThrow }) }, "vandal approveToolCall"],
  ["afterToolCall", { hooks: () => ({ afterToolCall: andThrow }) }, "vandal afterToolCall"],
  ["onEvent", { onEvent: (event) => overwriteAll(event) }],
  ["a subscription of events", { activate: (ctx) => void ctx.subscribe(overwriteAll) }],
  ["a subscription of pi's events", { activate: (ctx) => void ctx.agent.subscribe(overwriteAll) }],
  ["the agent's state", { onEvent: (_event, ctx) => overwriteAll(ctx.agent.state.messages) }],
  ["the conversation", { onEvent: (_event, ctx) => overwriteAll(ctx.session.buildContext()) }],
]; // biome-ignore format: a row each

describe("an extension cannot damage what it is given", () => {
  it.each(places)("in %s", async (_place, own, failure) => {
    const clean = await conversation();
    const spoilt = await conversation(own);
    expect(spoilt).toEqual({ ...clean, failed: new Set(failure ? [failure] : []) });
  });
});

describe("a layer's change in place counts if the layer does not throw:", () => {
  it("to messages, without returning them", async () => {
    const transformContext = (messages: { content: unknown }[]) => {
      for (const message of messages) if (typeof message.content === "string") message.content = "kept private";
      return undefined as never;
    };
    await using a = await openAgent([text("done")], {
      plugins: [contained(extension("own", { hooks: () => ({ transformContext }) }))],
    });
    await a.agent.prompt("my secret");
    expect(a.server.requests[0]?.body.messages).toMatchObject([{ role: "user", content: "kept private" }]);
    expect(JSON.stringify(a.stored())).toContain("my secret");
  });

  it("to a call's arguments, which later layers and the tool get", async () => {
    const seen: unknown[] = [];
    const first = extension("first", {
      hooks: () => ({ beforeToolCall: ({ args }) => void Object.assign(args as object, { n: 2 }) }),
    });
    const second = extension("second", { hooks: () => ({ beforeToolCall: ({ args }) => void seen.push(args) }) });
    const count = tool("count", async (_id, args) => says(JSON.stringify(args)));
    await using a = await openAgent([toolCall("count", { n: 1 }), text("done")], {
      tools: [count],
      plugins: [first, second].map((plugin) => contained(plugin)),
    });
    await a.agent.prompt("go");
    expect(seen).toEqual([{ n: 2 }]);
    expect(a.server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: '{"n":2}' });
  });
});
