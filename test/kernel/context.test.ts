import { type BaseContext, definePlugin, type EventId, type LlmAction, type Session } from "@scorel/kernel";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contained, testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

declare module "@scorel/kernel" {
  interface Events {
    cut: { summary: string; through?: string };
    addition: { text: string };
  }
}

const cutting = definePlugin({
  id: "cutting",
  name: "Cutting",
  version: "1.0.0",
  provides: ["mergeMessage"],
  events: {
    cut: {
      schema: z.strictObject({ summary: z.string(), through: z.string().optional() }),
      barrier: true,
      convertToLlm: (event) => ({ action: "barrier", summary: event.summary, after: event.through }),
    },
    addition: {
      schema: z.strictObject({ text: z.string() }),
      convertToLlm: (event) => ({ action: "merge_prev", content: event.text, otherwise: event.text }),
    },
  },
  activate(ctx) {
    ctx.provide("mergeMessage", merge as never);
  },
});

function merge(previous: unknown, content: string): string | undefined {
  return String(previous).startsWith("tool") ? `${previous}+${content}` : undefined;
}

/** The model's context at `leaf`, computed from the root without any cache. */
function plainContext(session: Session, leaf: EventId | null): unknown[] {
  const path = leaf === null ? [] : session.tree.path(leaf);
  const read = path.map((event): [EventId, LlmAction] => [event.id, session.asRead(event)]);
  const at = read.findLastIndex(([, { action }]) => action === "barrier");
  const barrier = read[at]?.[1];
  const [after, summary] = barrier?.action === "barrier" ? [barrier.after, [barrier.summary]] : [undefined, []];
  const first = after === undefined ? at : read.findIndex(([id]) => id === after);
  const messages: unknown[] = summary;
  for (const [, action] of read.slice(first + 1)) {
    const merged = action.action === "merge_prev" ? merge(messages.at(-1), action.content) : undefined;
    if (merged !== undefined) messages[messages.length - 1] = merged;
    else if (action.action === "merge_prev") messages.push(action.otherwise);
    else if (action.action === "include") messages.push(action.message);
  }
  return messages;
}

describe("the context", () => {
  it("contains the path's messages, without side events and unknown event types", async () => {
    await using t = await testKernel([notes, cutting]);
    await t.session.append("note", { text: "a" });
    await t.session.append("aside", { text: "side" });
    await t.session.append("note", { text: "b" });
    expect(t.session.buildContext()).toEqual(["a", "b"]);
  });

  it("merges text into the preceding message, or includes it if there is none that can hold it", async () => {
    await using t = await testKernel([notes, cutting]);
    await t.session.append("note", { text: "tool 1" });
    await t.session.append("addition", { text: "steer" });
    await t.session.append("note", { text: "b" });
    await t.session.append("addition", { text: "alone" });
    expect(t.session.buildContext()).toEqual(["tool 1+steer", "b", "alone"]);
  });

  it("converts a single event with asRead", async () => {
    await using t = await testKernel([notes, cutting]);
    const note = await t.session.append("note", { text: "a" });
    const added = await t.session.append("addition", { text: "b" });
    const read = [note, added].map(({ id }) => t.session.asRead(t.session.tree.get(id) as never));
    expect(read).toEqual([
      { action: "include", message: "a" },
      { action: "merge_prev", content: "b", otherwise: "b" },
    ]);
  });

  it("starts at the last summary and the events that it keeps, without older summaries", async () => {
    await using t = await testKernel([notes, cutting]);
    const [, b] = await t.session.appendAll([
      { type: "note", payload: { text: "a" } },
      { type: "note", payload: { text: "b" } },
    ]);
    await t.session.append("note", { text: "c" });
    await t.session.append("cut", { summary: "S1", through: b?.id as string });
    const d = await t.session.append("note", { text: "d" });
    expect(t.session.buildContext()).toEqual(["S1", "c", "d"]);
    await t.session.append("cut", { summary: "S2", through: d.id as string });
    await t.session.append("note", { text: "e" });
    expect(t.session.buildContext()).toEqual(["S2", "e"]);
    await t.session.append("cut", { summary: "S3" });
    expect(t.session.buildContext()).toEqual(["S3"]);
  });

  it("rejects a summary that keeps events outside its path or before the last summary", async () => {
    await using t = await testKernel([notes, cutting]);
    const a = await t.session.append("note", { text: "a" });
    const refused = { code: "LOG_INVALID_BARRIER" };
    await expect(t.session.append("cut", { summary: "S0", through: "nowhere0" })).rejects.toMatchObject(refused);
    const b = await t.session.append("note", { text: "b" });
    await t.session.append("cut", { summary: "S1", through: b.id as string });
    await expect(t.session.append("cut", { summary: "S2", through: a.id as string })).rejects.toMatchObject(refused);
    await expect(t.session.append("cut", { summary: "S2", through: "nowhere0" })).rejects.toMatchObject(refused);
  });

  it("may keep what the last summary keeps, but nothing from before it", async () => {
    await using t = await testKernel([notes, cutting]);
    const ids: string[] = [];
    for (const text of ["a", "b", "c", "d"]) ids.push((await t.session.append("note", { text })).id);
    const [a, b, c] = ids as [string, string, string];
    const keep = (summary: string, through: string) => t.session.append("cut", { summary, through });
    await keep("S1", b);
    const contexts = [t.session.buildContext()];
    await expect(keep("refused", a)).rejects.toMatchObject({ code: "LOG_INVALID_BARRIER" });
    await keep("S2", b);
    contexts.push(t.session.buildContext());
    await keep("S3", c);
    contexts.push(t.session.buildContext());
    await t.session.append("cut", { summary: "S4" });
    await expect(keep("refused", c)).rejects.toMatchObject({ code: "LOG_INVALID_BARRIER" });
    expect([...contexts, t.session.buildContext()]).toEqual([["S1", "c", "d"], ["S2", "c", "d"], ["S3", "d"], ["S4"]]);
    const shared = t.session.buildContext();
    shared.push("changed" as never);
    expect(t.session.buildContext()).toEqual(["S4"]);
  });

  it("asks the merging service only about messages that there are", async () => {
    const asked: unknown[][] = [];
    const merge = (...given: unknown[]) => {
      asked.push(given);
      return undefined;
    };
    const { activate: _own, ...events } = cutting;
    const merging = {
      ...events,
      activate: (ctx: never) => void (ctx as BaseContext).provide("mergeMessage", merge as never),
    };
    await using t = await testKernel([notes, merging]);
    await t.session.append("addition", { text: "first" });
    await t.session.append("addition", { text: "second" });
    expect([t.session.buildContext(), asked]).toEqual([["first", "second"], [["first", "second"]]]);
  });

  it("follows the leaf after a jump", async () => {
    await using t = await testKernel([notes, cutting]);
    const a = await t.session.append("note", { text: "a" });
    const b = await t.session.append("note", { text: "b" });
    await t.session.append("jump", { to: a.id as string });
    await t.session.append("note", { text: "c" });
    expect([t.session.buildContext(), t.session.buildContext(b.id)]).toEqual([
      ["a", "c"],
      ["a", "b"],
    ]);
  });

  it("reads and converts only new events while a conversation continues", async () => {
    const converted: string[] = [];
    const counting = definePlugin({
      id: "counting",
      name: "Counting",
      version: "1.0.0",
      events: {
        addition: {
          schema: z.strictObject({ text: z.string() }),
          convertToLlm: (event) => {
            converted.push(event.text);
            return { action: "include", message: event.text };
          },
        },
      },
    });
    await using t = await testKernel([notes, counting]);
    const texts = Array.from({ length: 50 }, (_, n) => `t${n}`);
    for (const text of texts) await t.session.append("addition", { text });
    const [first, again] = [t.session.buildContext(), t.session.buildContext()];
    await t.session.append("addition", { text: "new" });
    expect(t.session.buildContext()).toEqual([...texts, "new"]);
    expect([first, again, converted]).toEqual([texts, texts, [...texts.toReversed(), "new"]]);
  });

  it("converts events of a contained plugin's type every time, because the result may change", async () => {
    let answer = "first";
    const own = definePlugin({
      id: "own",
      name: "Own",
      version: "1.0.0",
      events: {
        addition: {
          schema: z.strictObject({ text: z.string() }),
          convertToLlm: () => ({ action: "include", message: answer as never }),
        },
      },
    });
    await using t = await testKernel([notes, contained(own)]);
    await t.session.append("addition", { text: "a" });
    await t.session.append("note", { text: "b" });
    const before = t.session.buildContext();
    answer = "second";
    expect([before, t.session.buildContext()]).toEqual([
      ["first", "b"],
      ["second", "b"],
    ]);
  });

  it("equals a walk over the whole path after any appends, summaries and jumps", async () => {
    const number = fc.nat({ max: 1_000 });
    const steps = fc.array(fc.tuple(fc.constantFrom("note", "tool", "addition", "cut", "keep", "jump"), number), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        await using t = await testKernel([notes, cutting]);
        const { session } = t;
        for (const [at, [what, choice]] of taken.entries()) {
          const path = session.activeLeaf === null ? [] : session.tree.path(session.activeLeaf);
          const all = [...session.tree].filter(({ id }) => session.tree.isPath(id));
          const chosen = (among: readonly { id: string }[]) => among[choice % Math.max(1, among.length)]?.id;
          if (what === "note") await session.append("note", { text: `${at}` });
          if (what === "tool") await session.append("note", { text: `tool ${at}` });
          if (what === "addition") await session.append("addition", { text: `added ${at}` });
          if (what === "cut") await session.append("cut", { summary: `S${at}` });
          const [through, to] = [chosen(path), chosen(all)];
          // A summary cannot keep events from every point of the path. When it is refused, nothing changes.
          if (what === "keep" && through) await session.append("cut", { summary: `S${at}`, through }).catch(() => {});
          if (what === "jump" && to) await session.append("jump", { to });
          for (const leaf of choice % 3 === 0 ? [to ?? null, session.activeLeaf] : [session.activeLeaf])
            expect(session.buildContext(leaf)).toEqual(plainContext(session, leaf));
        }
      }),
      { numRuns: 60 },
    );
  });
});
