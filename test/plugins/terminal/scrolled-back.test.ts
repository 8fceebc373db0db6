import { expect, it } from "vitest";
import { People } from "../../../plugins/terminal/app/people.ts";
import { Transcript } from "../../../plugins/terminal/app/transcript.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const theme = { name: "none", style: (_role: string, text: string) => text } as Theme;
const look = {
  ...{ theme, words: en, drawing: { theme }, isExpanded: false, showsThinking: false },
  ...{ expandKey: "Ctrl-O", thinkingKey: "Ctrl-T" },
} as Look;
const reply = (id: string, lines: number) => ({
  ...{ kind: "reply", id, thinking: "", calls: [], ts: 1 },
  text: Array.from({ length: lines }, (_, at) => `- line ${at} of ${id}`).join("\n"),
});

it("what a reader has scrolled back to in a reply that arrives stays where it is when notes are added", () => {
  const transcript = new Transcript();
  transcript.follow({ rows: [], live: [reply("a", 40)], requests: [] } as never, new People({ clientId: "me" }));
  transcript.add(() => ["the first note"]);
  transcript.render(60, 5, look);
  transcript.scroll(-20, look);
  const before = transcript.render(60, 5, look);
  expect(before[0]).toContain("line 15 of a");
  for (const text of ["a note", "another"]) transcript.add(() => [text]);
  expect([transcript.render(60, 5, look), transcript.isAtEnd]).toEqual([before, false]);
});
