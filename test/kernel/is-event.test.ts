import { isEvent as isEventOfClients } from "@scorel/host/client";
import { type AnyEvent, type EventOf, isEvent, type Missed, type StoredEvent, type TransientOf } from "@scorel/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { testKernel } from "../harness.ts";
import { notes } from "./notes.ts";

/** A log with a note, an aside and a tick, and what a subscriber heard. */
async function begun() {
  const t = await testKernel([notes]);
  const { kernel, session } = t;
  const heard: (AnyEvent | Missed)[] = [];
  kernel.subscribe((event) => void heard.push(event));
  await session.append("note", { text: "one" });
  await session.append("aside", { text: "beside" });
  session.emit("tick", { n: 3 });
  await kernel.drained();
  return Object.assign(t, { heard });
}

describe("isEvent", () => {
  it("narrows stored and transient events to the fields of their type", async () => {
    await using t = await begun();
    const { heard } = t;
    const notesHeard = heard.filter((event) => isEvent(event, "note"));
    const ticks = heard.filter((event) => isEvent(event, "tick"));
    expectTypeOf(notesHeard).toEqualTypeOf<EventOf<"note">[]>();
    expectTypeOf(ticks).toEqualTypeOf<TransientOf<"tick">[]>();
    expect(notesHeard.map(({ text, parentId }) => [text, parentId])).toEqual([["one", null]]);
    expect(ticks.map(({ n }) => n)).toEqual([3]);
  });

  it("is false for other types, what a subscriber missed, and no event", () => {
    const missed: Missed = { type: "missed", from: 1, to: 2 };
    expect([missed, undefined, { type: "aside" }].map((event) => isEvent(event, "note"))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("leaves an event of another type as it was, and refuses a type that nobody declares", async () => {
    await using t = await begun();
    const event = t.session.tree.root as StoredEvent;
    if (!isEvent(event, "aside")) expectTypeOf(event).toEqualTypeOf<StoredEvent>();
    if (isEvent(event, "note") || isEvent(event, "aside")) expectTypeOf(event.text).toEqualTypeOf<string>();
    // @ts-expect-error: nobody declares this type.
    expect(isEvent(event, "nota")).toBe(false);
  });

  it("is the same function for clients", () => {
    expect(isEventOfClients).toBe(isEvent);
  });
});

describe("the tree", () => {
  it("returns events of the requested type", async () => {
    await using t = await begun();
    const { tree, activeLeaf } = t.session;
    expectTypeOf(tree.ofType("note")).toEqualTypeOf<Iterable<EventOf<"note">>>();
    expectTypeOf(tree.ofType("nota")).toEqualTypeOf<Iterable<StoredEvent>>();
    expect(Array.from(tree.ofType("aside"), ({ text }) => text)).toEqual(["beside"]);
    expect(tree.nearest(activeLeaf ?? "", "note")?.text).toBe("one");
    expect(Array.from(tree.ofType("nota"))).toEqual([]);
  });
});
