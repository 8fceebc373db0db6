import type { Delivered } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import { expect, it } from "vitest";
import { Updates } from "../../../plugins/acp/updates.ts";

const hidden: DisplayAction = { display: "hidden" };
const event = (type: string, fields: object, display = hidden) =>
  ({ event: { type, ...fields }, display }) as unknown as Delivered;
const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
const reply = (id: string, ...content: object[]) => event("message", { id, message: { role: "assistant", content } });
const result = (toolCallId: string, toolName: string, more: object = {}) =>
  event("message", {
    id: `r-${toolCallId}`,
    message: {
      role: "tool_result",
      toolCallId,
      toolName,
      content: [{ type: "text", text: "out" }],
      isError: false,
      ...more,
    },
  });

it("a call id that a model uses again is another call for the editor", () => {
  const updates = new Updates("/p");
  const shown = [
    ...updates.take(reply("a", call("c1", "Read", { file_path: "x" }))),
    ...updates.take(result("c1", "Read")),
    ...updates.take(reply("b", call("c1", "Read", { file_path: "y" }))),
    ...updates.take(result("c1", "Read")),
  ];
  const ids = shown.map((update) => ("toolCallId" in update ? update.toolCallId : undefined));
  expect(ids).toEqual(["c1", "c1", "c1#2", "c1#2"]);
});

it("editors learn the kind of each tool of Scorel's own, and that of others is not known", () => {
  const kinds = ["Read", "Edit", "Write", "Bash", "Glob", "Grep", "WebFetch", "mcp__a__b", "constructor"].map(
    (tool) => {
      const [update] = new Updates("/p").take(reply("a", call("c1", tool, {})));
      return update && "kind" in update ? [tool, update.kind] : [tool];
    },
  );
  expect(Object.fromEntries(kinds)).toEqual({
    Read: "read",
    Edit: "edit",
    Write: "edit",
    Bash: "execute",
    Glob: "search",
    Grep: "search",
    WebFetch: "fetch",
    mcp__a__b: "other",
    constructor: "other",
  });
});

it("calls that never end are failed when the turn is over", () => {
  const updates = new Updates("/p");
  updates.take(reply("a", call("c1", "Bash", { command: "sleep 9" })));
  expect(updates.take(event("runtime_end", { reason: "cancelled" }))).toEqual([
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" },
  ]);
  expect(updates.take(event("runtime_end", { reason: "cancelled" }))).toEqual([]);
});

it("texts, titles and arguments have no control sequences", () => {
  const updates = new Updates("/p");
  const red = "\u001b[31mred\u001b[0m\u202e";
  const shown = [
    ...updates.take(event("message", { id: "u", message: { role: "user", content: red } })),
    ...updates.take(reply("a", { type: "text", text: red }, call("c1", "Bash", { command: red }))),
    ...updates.take(result("c1", "Bash", { content: [{ type: "text", text: red }] })),
  ];
  expect(JSON.stringify(shown)).not.toMatch(/\\u001b|\u202e/);
  expect(JSON.stringify(shown)).toContain("red\\\\u{202e}");
});

it("texts and titles that are cut end with a whole character", () => {
  const updates = new Updates("/p");
  const faces = (length: number) => `x${"😀".repeat(length)}`;
  const shown = [
    ...updates.take(
      reply("a", { type: "text", text: faces(100_000) }, call("c1", "Bash", { command: `x${faces(200)}` })),
    ),
    ...updates.take(result("c1", "Bash", { content: [{ type: "text", text: faces(100_000) }] })),
  ];
  const texts = shown.flatMap((update) => JSON.stringify(update).match(/"[^"]*…[^"]*"/g) ?? []);
  expect(texts.length).toBeGreaterThanOrEqual(2);
  expect(texts.filter((each) => /\\ud[89a-f]/.test(each))).toEqual([]);
});

it("the plan is the list as it was written, whatever a model writes", () => {
  const updates = new Updates("/p");
  const todos = [{ content: "a", status: "completed" }, { content: 7 }, null];
  expect(updates.take(reply("a", call("t", "TodoWrite", { todos })))).toEqual([]);
  expect(updates.take(result("t", "TodoWrite", { details: { todos: [] } }))).toEqual([
    { sessionUpdate: "plan", entries: [{ content: "a", status: "completed", priority: "medium" }] },
  ]);
});

it("an edit shows each changed part with its line, and a new file without an old text", () => {
  const updates = new Updates("/p");
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -40,1 +40,2 @@\n end\n+more";
  const file = { path: "/p/x" };
  updates.take(reply("a", call("e", "Edit", { file_path: "x", old_string: "two", new_string: "2" })));
  expect(updates.take(result("e", "Edit", { details: { file, diff } }))).toMatchObject([
    {
      locations: [{ path: "/p/x", line: 1 }],
      content: [
        { type: "diff", path: "/p/x", oldText: "one\ntwo", newText: "one\n2" },
        { type: "diff", path: "/p/x", oldText: "end", newText: "end\nmore" },
      ],
    },
  ]);
  updates.take(reply("b", call("w", "Write", { file_path: "y", content: "new" })));
  const created = { file, diff: "--- a/y\n+++ b/y\n@@ -0,0 +1,1 @@\n+new", created: true };
  expect(updates.take(result("w", "Write", { details: created }))).toMatchObject([
    { content: [{ oldText: null, newText: "new" }] },
  ]);
});
