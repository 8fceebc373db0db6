import type { Delivered, SessionSummary } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import { expect, it } from "vitest";
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

it("each line of somebody else's message is theirs, and names and titles add none", async () => {
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
    ...["print> one", "print> (cancelled)", "print> ", "print> three"],
    "· Bash a (cancelled)",
  ]);
});
