import { expect, it } from "vitest";
import { People } from "../../../plugins/terminal/app/people.ts";
import { lineAbove, linesAbove } from "../../../plugins/terminal/app/picture.ts";
import { activityLine } from "../../../plugins/terminal/app/status-line.ts";
import { Transcript } from "../../../plugins/terminal/app/transcript.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
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
  expect(before[0]).toContain("line 17 of a");
  for (const text of ["a note", "another"]) transcript.add(() => [text]);
  expect([transcript.render(60, 5, look), transcript.isAtEnd]).toEqual([before, false]);
});

it("what a command says and the output of a shell line stand below a reply that arrives, and stay there or in their order", () => {
  const transcript = new Transcript();
  const view = { rows: [] as object[], live: [reply("a", 40)] as object[], requests: [] };
  transcript.follow(view as never, new People({ clientId: "me" }));
  transcript.add(() => ["the cost"]);
  const shown = () => transcript.render(60, 6, look).filter((line) => line !== "");
  expect(shown().slice(-2)).toEqual([expect.stringContaining("line 39 of a"), "the cost"]);
  const row = (id: string, seq: number, type: string, display: object) => ({
    ...{ id, seq, type, display, active: true, clientId: "me", ts: 2, event: { type } },
  });
  const added = (each: object) => transcript.changed(view.rows.push(each) - 1, true);
  added(row("s", 1, "shell_line", { display: "notice", level: "info", text: "the output" }));
  expect(shown().slice(-2)).toEqual(["the cost", expect.stringContaining("the output")]);
  view.live = [];
  transcript.liveChanged();
  added(row("a", 2, "message", { display: "bubble", role: "assistant", text: reply("a", 40).text }));
  expect(shown().slice(-2)).toEqual([expect.stringContaining("line 39 of a"), "the cost"]);
  transcript.toStart(look);
  expect(shown()[0]).toContain("the output");
  transcript.toEnd();
  transcript.rebuild();
  expect(shown().slice(-2)).toEqual([expect.stringContaining("line 39 of a"), "the cost"]);
});

it.each([
  ["a retry", { retrying: { attempt: 2, of: 3, reason: "503 Service Unavailable: overloaded", until: 4_000 } }],
  ["a new connection", { connection: "reconnecting", retry: { at: 4_000 } }],
])("%s is shown before the number of lines below what is read, and that only if there is room", (_what, status) => {
  const transcript = new Transcript();
  transcript.follow({ rows: [], live: [reply("a", 40)], requests: [] } as never, new People({ clientId: "me" }));
  transcript.render(60, 5, look);
  transcript.scroll(-20, look);
  transcript.render(60, 5, look);
  const keys = createKeys();
  const view = { status: { running: true, ...status }, live: [], requests: [] } as never;
  const now = (width: number) => activityLine({ view, theme, words: en, keys, now: 0, since: 0 }, width) as string;
  const scene = { look, keys, transcript, isGoingBack: false, view };
  const line = (columns: number) => lineAbove({ ...scene, columns }, now);
  const below = "↓ 20 lines below · Ctrl-End to the end";
  expect([line(110), line(80), line(50)]).toEqual([`${now(70)}  ${below}`, `${now(68)}  ↓ 20 lines`, now(50)]);
});

it("a notice has all of its words at 80 columns, and so has a lost connection", () => {
  const transcript = new Transcript();
  transcript.follow({ rows: [], live: [], requests: [] } as never, new People({ clientId: "me" }));
  const status = { running: true, connection: "reconnecting", retry: { at: 1_000 } };
  const view = { status, live: [], requests: [] } as never;
  const keys = createKeys();
  const scene = { columns: 80, look, keys, transcript, isGoingBack: false, view };
  const text = `${en.endsIfLeft(false, 1)} ${en.pressAgain("Ctrl-D")}`;
  const above = (note?: { text: string; level: "warning" }) =>
    linesAbove({ ...scene, note }, (width) => activityLine({ view, theme, words: en, keys, now: 0, since: 0 }, width));
  expect(above({ text, level: "warning" }).join(" ")).toBe(text);
  expect(above()).toEqual([en.reconnecting("1 s")]);
});

it("going back removes the notes about what was left out, and no others", () => {
  const transcript = new Transcript();
  const display = { display: "bubble", role: "user", text: "hello" };
  const row = { ...{ id: "u", seq: 1, type: "message", active: true, clientId: "me", ts: 1 }, display, event: {} };
  const view = { rows: [row], live: [], requests: [] };
  transcript.follow(view as never, new People({ clientId: "me" }));
  transcript.addAbout(() => ["/retry sends the last message again."]);
  transcript.add(() => ["/undo"]);
  const shown = () => transcript.render(60, 9, look).filter((line) => /^\//.test(line));
  expect(shown()).toEqual(["/retry sends the last message again.", "/undo"]);
  view.rows = [{ ...row, active: false }];
  transcript.changed(0, false);
  expect(shown()).toEqual(["/undo"]);
});
