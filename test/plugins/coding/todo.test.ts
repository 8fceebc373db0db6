import { describe, expect, it } from "vitest";
import { textOf, type Workshop, workshop } from "./workshop.ts";

const list = [
  { content: "read", status: "completed" },
  { content: "edit", status: "in_progress" },
  { content: "test", status: "pending" },
];
const write = (w: Workshop, todos: unknown) => w.call("TodoWrite", { todos });
const stored = (w: Workshop) => w.kernel.session.projection("todos");

describe("TodoWrite", () => {
  it("stores the whole list", async () => {
    await using w = await workshop();
    expect(stored(w)).toEqual([]);
    expect(textOf(await write(w, list))).toBe("Stored 3 items: 1 completed, 1 in progress.");
    expect(stored(w)).toEqual(list);
    await write(w, list.slice(1));
    expect(stored(w)).toEqual(list.slice(1));
  });

  it("clears a list whose items are all completed", async () => {
    await using w = await workshop();
    await write(w, list);
    expect(textOf(await write(w, [list[0]]))).toBe("All done; the list is empty now.");
    expect(stored(w)).toEqual([]);
  });

  it("refuses two items in progress, and items without content", async () => {
    await using w = await workshop();
    await write(w, list);
    const two = await write(w, [list[1], list[1]]);
    expect([textOf(two), two.isError]).toEqual([
      "The list was not stored: 2 items are in progress, and only one may be. Send the whole list again.",
      true,
    ]);
    expect(textOf(await write(w, [{ content: " ", status: "pending" }]))).toContain("item 1 has no content");
    expect(stored(w)).toEqual(list);
  });

  it("is restored when the conversation is rewound", async () => {
    await using w = await workshop();
    await write(w, list);
    const leaf = w.kernel.session.activeLeaf as string;
    await write(w, [list[2]]);
    await w.kernel.session.append("rewind", { targetEventId: leaf });
    expect(stored(w)).toEqual(list);
  });

  it("accepts a list as JSON text", async () => {
    await using w = await workshop();
    await write(w, JSON.stringify(list));
    expect(stored(w)).toEqual(list);
  });

  it("is drawn as a list", async () => {
    await using w = await workshop();
    expect(w.tools.display("TodoWrite", { todos: list }, await write(w, list))).toEqual({
      display: "list",
      title: "Todos",
      items: [
        { text: "read", state: "done" },
        { text: "edit", state: "active" },
        { text: "test", state: "open" },
      ],
      text: "[x] read\n[~] edit\n[ ] test",
    });
  });
});
