import { expect, it } from "vitest";
import { stop } from "../../../plugins/web/page/chat/stopping.ts";
import { shownNote } from "../../../plugins/web/page/ui/notes.ts";
import { eventually } from "../../eventually.ts";

it.each([
  ["a turn", undefined, { operation: "cancel", params: { sessionId: "s1" } }],
  ["a shell line", "e1", { operation: "end_shell", params: { sessionId: "s1", eventId: "e1" } }],
])("a note says why %s was not stopped", async (_, line, expected) => {
  const asked: object[] = [];
  const request = async (operation: string, params: object) => {
    asked.push({ operation, params });
    throw new Error("This client may not stop it.");
  };
  shownNote.set(undefined);
  stop({ request } as never, "s1", line);
  await eventually(() => expect(shownNote.get()).toEqual({ text: "This client may not stop it.", isProblem: true }));
  expect(asked).toEqual([expected]);
});
