import { expect, it } from "vitest";
import { itemOf } from "../../../plugins/terminal/app/items.ts";
import { People } from "../../../plugins/terminal/app/people.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const theme = {
  name: "none",
  style: (role: string, text: string) => (/✗|●|exit/.test(text) ? `<${role}>${text}` : text),
};
const look = {
  ...{ theme: theme as Theme, words: en, drawing: { theme: theme as Theme }, isExpanded: false, showsThinking: false },
  ...{ expandKey: "Ctrl-O", thinkingKey: "Ctrl-T" },
} as Look;
const people = new People({ clientId: "me" });

/** The lines of a card whose event contains the exit code of a command. */
function lines(type: string, event: object, text: string, status = "done") {
  const display = { display: "card", title: "$ make", status, text };
  const row = { id: "a", type, display, active: true, clientId: "me", event, seq: 1, ts: 1 };
  return itemOf(row as never, people)?.draw(60, look, { durationMs: 1_500 });
}

const result = (details: unknown) => ({ message: { role: "tool_result", content: [], details } });

it("a command of the model that failed has another mark and its exit code in its title, and its last lines below", () => {
  expect(lines("message", result({ exitCode: 3 }), "one\ntwo\n[exit code 3]")).toEqual([
    "<warning>✗ $ make<warning>  exit 3  1.5 s",
    "  │ one",
    "  │ two",
  ]);
  expect(lines("message", result({ exitCode: 1 }), "[exit code 1]")).toEqual([
    "<warning>✗ $ make<warning>  exit 1  1.5 s",
  ]);
  expect(lines("message", result({ exitCode: 0 }), "[exit code 0]")).toEqual([
    "<success>● $ make  1.5 s<muted>  [exit code 0]",
  ]);
  for (const strange of [undefined, null, 3, { exitCode: "3" }, { exitCode: 0.5 }])
    expect(lines("message", result(strange), "x")).toEqual(["<success>● $ make  1.5 s  x"]);
});

it("a line for the shell says once how long it took", () => {
  expect(lines("shell_line", { exitCode: 4, durationMs: 1_500 }, "one\n[exit code 4, 1.5 s]", "error")).toEqual([
    "<error>✗ $ make<error>  exit 4",
    "  │ one",
    "  │ <muted>[exit code 4, 1.5 s]",
  ]);
});

it("a refused call says so to the person, without the text for the model", () => {
  const rest = "Do not work around this. Continue without it, or explain why you need it.";
  const text = `Denied: the user said no. ${rest}`;
  const refused = (meta: unknown) => lines("message", { message: { role: "tool_result", meta } }, text, "error");
  expect(refused({ refused: {} })).toEqual(["<error>✗ $ make  1.5 s", "  │ You said no."]);
  expect(refused({ refused: { reason: "use a.\n b\u001b[2J" } })).toEqual([
    "<error>✗ $ make  1.5 s",
    "  │ You said no: use a. b",
  ]);
  // Other details are not a refusal, so the tool's text is shown.
  for (const strange of [undefined, null, {}, { refused: null }, { refused: "x" }])
    expect(refused(strange)?.[1]).toMatch(/Denied: the user said no\./);
});

it("the reason of a failure wraps, and is cut after a few lines", () => {
  const reason = Array.from({ length: 20 }, (_, at) => `reason number ${at}`);
  const failed = (text: string) => lines("message", result(undefined), text, "error");
  expect(failed(reason.slice(0, 5).join(", "))).toEqual([
    "<error>✗ $ make  1.5 s",
    "  │ reason number 0, reason number 1, reason number 2,",
    "  │ reason number 3, reason number 4",
  ]);
  const long = failed(reason.join(", "));
  expect(long).toHaveLength(5);
  expect(long?.at(-1)).toMatch(/ …$/);
});

it("the command of a folded card is one line with visible line breaks, cut at the width", () => {
  const titleOf = (title: string) => {
    const display = { display: "card", title, status: "done", text: "" };
    const row = { id: "a", type: "message", display, active: true, clientId: "me", event: {}, seq: 1, ts: 1 };
    return itemOf(row as never, people)?.draw(30, look, {});
  };
  expect(titleOf("$ cd src\n  make all")).toEqual(["<success>● $ cd src ⏎ make all"]);
  expect(titleOf("$ cd src\nmake all\nmake install")).toEqual(["<success>● $ cd src ⏎ make al…"]);
});

it("a warning has a mark, and not the word, too", () => {
  const display = { display: "notice", level: "warning", text: 'warning: plugin "a" failed' };
  const row = { id: "a", type: "message", display, active: true, clientId: "me", event: {}, seq: 1, ts: 1 };
  expect(itemOf(row as never, people)?.draw(60, look, {})).toEqual(['! plugin "a" failed']);
});
