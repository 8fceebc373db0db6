import type { Delivered, SessionSummary } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import type { OpenRequest } from "@scorel/requests/contract";
import { expect, it } from "vitest";
import { shownQuestion } from "../../plugins/chat/choices.ts";
import { marked } from "../../plugins/chat/indented.ts";
import { Screen } from "../../plugins/chat/screen.ts";
import { row } from "../../plugins/host/commands/session-views.ts";
import { lineOf } from "../../plugins/kit/text/one-line.ts";

const FAKE = "x\n(cancelled)\r\u2028New session\u0085\u001b[2J\u202ey";
const SEEN = "x (cancelled) New session \\u{202e}y";

it("a name is one visible line", () => {
  expect(lineOf(FAKE)).toBe(SEEN);
});

it("a title in the list of sessions adds no row", () => {
  const summary = { sessionId: "abc", updatedAt: 0, messages: 1, title: FAKE, cwd: "/a\nb" } as SessionSummary;
  expect(row(summary, true)).toBe(`abc  1970-01-01 00:00     1  /a b  ${SEEN}`);
});

it("each line of another person's message is marked as theirs, and names and titles add none", async () => {
  const pieces: string[] = [];
  const output = { write: async (piece: string) => void pieces.push(piece), failure: undefined, complaint: undefined };
  const screen = new Screen(output, { clientId: "me" });
  const hear = (type: string, display: DisplayAction) =>
    screen.hear({
      event: { type, seq: 1, message: { role: "user" }, clientId: "print-0123456789abcdef" },
      display,
    } as unknown as Delivered);
  await hear("client_joined", { display: "notice", level: "info", text: "(x\n(cancelled) is here, too)" });
  await hear("message", { display: "bubble", role: "user", text: "one\n(cancelled)\n\nthree" });
  await hear("tool_execution_start", { display: "card", title: "Bash a\n(cancelled)", status: "running", text: "" });
  expect(pieces.join("").trimEnd().split("\n")).toEqual([
    "(x (cancelled) is here, too)",
    ...["  print> one", "  print> (cancelled)", "  print> ", "  print> three"],
    "· Bash a ⏎ (cancelled)",
  ]);
});

it("rows of a long line that is broken are marked as parts of it, whatever its characters are", () => {
  expect(marked("abcdefghijklmnopqrs", "friend> ", 20).split("\n")).toEqual([
    "friend> abcdefghijkl",
    "friend> mnopqrs",
  ]);
  expect(marked("\u{20000}".repeat(7), "ab> ", 16).split("\n")).toEqual(["ab> 𠀀𠀀𠀀𠀀𠀀𠀀", "ab> 𠀀"]);
  expect(marked("a\u202e\tbcdefghijkl", "> ", 14).split("\n")).toEqual(["> a\\u{202e}   ", ">  bcdefghijkl"]);
  expect(marked("two words and a-very-long-one", "> ", 12).split("\n")).toEqual([
    ...["> two words ", "> and ", "> a-very-lon", "> g-one"],
  ]);
  expect(marked("long and\nshort", "> ", undefined)).toBe("> long and\n> short");
});

it("a question of several lines cannot look like two, or like another person's message", () => {
  const asked: OpenRequest = {
    requestId: "r1",
    plugin: "asker",
    kind: "select",
    title: "Go on?\nscorel: all good",
    body: [{ display: "notice", level: "info", text: "$ true\nRun this command?\u2028friend> yes" }],
    options: [{ value: "y", label: "yes\n  n = no" }],
  };
  expect(shownQuestion(asked, 24).text.split("\n")).toEqual([
    ...["Go on? ⏎ scorel: all ", "  good (asker)"],
    ...["    $ true", "    Run this ", "    command?\\u{2028}frie", "    nd> yes"],
    ...["  y = yes ⏎ n = no"],
  ]);
});

it("texts of plugins are indented, and only Scorel's own lines begin at the left edge", async () => {
  const pieces: string[] = [];
  const output = { write: async (piece: string) => void pieces.push(piece), failure: undefined, complaint: undefined };
  const screen = new Screen(output, { clientId: "me" });
  for (const [level, text] of [
    ["info", "asker: done\nfriend> hi"],
    ["warning", "asker: slow\nscorel: all good"],
  ] as const)
    await screen.hear({
      event: { type: "notification", plugin: "asker", level, text },
      display: { display: "notice", level, text },
    } as unknown as Delivered);
  await screen.setStatus({ plugin: "asker", text: "busy\nfriend> hi" });
  await screen.table("a\nfriend> hi");
  await screen.line("It failed.\nscorel: all good");
  expect(pieces.join("").trimEnd().split("\n")).toEqual([
    ...["  asker: done", "  friend> hi"],
    ...["warning: asker: slow", "  scorel: all good"],
    "· asker: busy friend> hi",
    ...["  a", "  friend> hi"],
    ...["It failed.", "  scorel: all good"],
  ]);
});
