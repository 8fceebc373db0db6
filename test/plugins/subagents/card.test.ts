import { expect, it } from "vitest";
import { cardText } from "../../../plugins/chat/drawing.ts";
import { displayLines } from "../../../plugins/terminal/rows/display.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { text } from "../../model-server.ts";
import { task, working } from "./working.ts";

const theme: Theme = { name: "none", style: (_role, text) => text } as Theme;
const look: Look = {
  ...{ theme, words: en, drawing: { theme }, isExpanded: false, showsThinking: false },
  ...{ expandKey: "Ctrl-O", thinkingKey: "Ctrl-T" },
};

/** The card of a call of a subagent with this report; the id of its session is replaced by `<id>`. */
async function cardOf(report: string): Promise<any> {
  await using t = await working(
    { "Go.": [task("Find it", "Find it", "finder"), text("Done.")], "Find it": [text(report)] },
    { files: { ".scorel/agents/finder.md": "---\ndescription: Finds things\n---\nFind it.\n" } },
  );
  await t.outcome();
  const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
  const { display } = events.find(({ event }: any) => event.message?.role === "tool_result") as any;
  return JSON.parse(JSON.stringify(display).replace(/session \w{16}/, "session <id>"));
}

const REPORT = ["It is in **a.ts**.", "", ...Array.from({ length: 20 }, (_, at) => `- place ${at}`)].join("\n");

it("a report is folded to its beginning, drawn as Markdown, and distinguished from the model's text", async () => {
  const card = await cardOf(REPORT);
  expect(displayLines(card, 80, look)).toEqual([
    "● Task: Find it (finder, session <id>)",
    "  │ It is in a.ts.",
    "  │ ",
    "  │ • place 0",
    "  │ • place 1",
    "  │ … 18 more lines (Ctrl-O)",
  ]);
  expect(displayLines(card, 80, { ...look, isExpanded: true }).at(-1)).toBe("  │ • place 19");
});

it("in a plain conversation, a report is cut as the output of a tool is", async () => {
  const lines = cardText(await cardOf(REPORT), 80).split("\n");
  expect(lines.at(0)).toContain("It is in **a.ts**.");
  expect(lines.at(-1)).toMatch(/… \d+ more lines/);
  expect(lines.length).toBeLessThan(20);
});

it("a subagent that failed says why in its card", async () => {
  const card = await cardOf(" ");
  expect(displayLines(card, 80, look).join(" ")).toMatch(/^✗ Task: Find it .* ended without a report/);
});
