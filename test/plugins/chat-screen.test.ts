import type { Delivered } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { Screen } from "../../plugins/chat/screen.ts";

/** What the screen shows of these events. */
async function shown(...events: [type: string, display: DisplayAction][]): Promise<string[]> {
  const pieces: string[] = [];
  const output = { write: async (piece: string) => void pieces.push(piece), failure: undefined, complaint: undefined };
  const screen = new Screen(output, "me");
  for (const [type, display] of events)
    await screen.hear({ event: { type, seq: 1, message: {} }, display } as unknown as Delivered);
  return pieces.join("").trimEnd().split("\n");
}
const card = (
  title: string,
  status: "running" | "done" | "error",
  text = "",
  body?: DisplayAction[],
): DisplayAction => ({
  display: "card",
  title,
  status,
  text,
  ...(body && { body }),
});

describe("the screen of a conversation", () => {
  it("names a tool once, and again when the answers of others came between", async () => {
    expect(
      await shown(
        ["tool_execution_start", card("Read a", "running")],
        ["message", card("Read a", "done", "one")],
        ["tool_execution_start", card("Read b", "running")],
        ["tool_execution_start", card("Read c", "running")],
        ["message", card("Read b", "done", "two")],
        ["message", card("Read c", "error", "three")],
      ),
    ).toEqual(["· Read a", "  one", "· Read b", "· Read c", "· Read b", "  two", "· Read c failed", "  three"]);
  });

  it("shows the diff of an edit whole", async () => {
    const diff = Array.from({ length: 30 }, (_, n) => `+line ${n}`).join("\n");
    const edit = card("Edit a", "done", "Edited a.", [{ display: "diff", path: "a", text: diff }]);
    const lines = await shown(["message", edit]);
    expect([lines[0], lines[1], lines.length]).toEqual(["· Edit a", "  Edited a.", 32]);
  });

  it("draws a list once, with its result", async () => {
    const list: DisplayAction = { display: "list", items: [{ text: "test", state: "active" }], text: "[~] test" };
    expect(await shown(["tool_execution_start", list], ["message", list])).toEqual(["[~] test"]);
  });
});
