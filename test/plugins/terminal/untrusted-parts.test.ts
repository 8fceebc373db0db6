import type { Live, SessionView } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import { Help } from "../../../plugins/terminal/app/help.ts";
import { LiveItems } from "../../../plugins/terminal/app/items.ts";
import { People } from "../../../plugins/terminal/app/people.ts";
import { pluginPanels } from "../../../plugins/terminal/app/plugin-panels.ts";
import { Question } from "../../../plugins/terminal/app/question.ts";
import { drawQuestion } from "../../../plugins/terminal/app/question-lines.ts";
import { activityLine, statusLine } from "../../../plugins/terminal/app/status-line.ts";
import { queueStrip } from "../../../plugins/terminal/app/strip.ts";
import { todoPanel } from "../../../plugins/terminal/app/todos.ts";
import { welcome } from "../../../plugins/terminal/app/welcome.ts";
import { Completing } from "../../../plugins/terminal/input/completing.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import { PickList } from "../../../plugins/terminal/pickers/list.ts";
import { drawPicker } from "../../../plugins/terminal/pickers/picker-lines.ts";
import type { PickerPicture, PickerState } from "../../../plugins/terminal/pickers/picker-parts.ts";
import { Preview } from "../../../plugins/terminal/pickers/preview.ts";
import { userLines } from "../../../plugins/terminal/rows/display.ts";
import { loadHighlighter } from "../../../plugins/terminal/rows/highlight.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { markdownLines } from "../../../plugins/terminal/rows/markdown.ts";
import { outputLines } from "../../../plugins/terminal/rows/output.ts";
import { safeText } from "../../../plugins/terminal/rows/safe.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { pickersEn } from "../../../plugins/terminal/words/pickers.ts";
import { eventually } from "../../eventually.ts";
import { cases, isBad, leaks } from "./hostile-text.ts";
import { desk, paste } from "./input/desk.ts";

const WIDTH = 60;
/** Wide enough for a picker with a preview. */
const WIDEST = 200;
const theme = themeOf("dark", dark);
const keys = createKeys();
const drawing = { theme, highlight: (await loadHighlighter())(theme) };
const look: Look = {
  theme,
  words: en,
  drawing,
  isExpanded: true,
  showsThinking: true,
  expandKey: "Ctrl-O",
  thinkingKey: "Ctrl-T",
};

/** A session in which every field contains this text. */
function view(text: string, more: object = {}): SessionView {
  const status = {
    model: `p/${text}`,
    thinking: "off",
    branch: text,
    meta: { name: text, title: text },
    texts: [{ plugin: text, text }],
    usage: { input: 0, output: 0, cost: 0 },
    modelError: { code: "C", message: text },
    connection: "open",
    running: true,
    ...more,
  };
  return { status, live: [], requests: [], queue: [] } as unknown as SessionView;
}

const statusOf = (each: SessionView) => ({ view: each, theme, words: en, keys, now: 0, since: 0 });
const activity = (text: string, more: object) => [activityLine(statusOf(view(text, more)), WIDTH) ?? ""];
const call = (text: string, title = text): Live =>
  ({
    kind: "call",
    id: text,
    toolCallId: text,
    toolName: text,
    ts: 0,
    display: { display: "card", title, status: "running", text },
    progress: { content: [{ type: "text", text }] },
  }) as unknown as Live;
const reply = (text: string): Live =>
  ({ kind: "reply", id: text, ts: 0, text, thinking: text, calls: [{ toolName: text, json: "" }] }) as unknown as Live;
const live = (each: Live) => new LiveItems().itemOf(each, 0, new People({ clientId: "me" })).draw(WIDTH, look, {});

function picker(text: string, state: PickerState = { kind: "ready" }, more: object = {}): string[] {
  const list = new PickList<string>((item) => item);
  list.fill([text], (a, b) => a === b);
  const options = {
    title: () => text,
    empty: text,
    load: () => [],
    row: (item: string) => ({ label: item, detail: item, isCurrent: true }),
    id: (item: string) => item,
  };
  const picture: PickerPicture<string> = {
    at: { theme, keys, rows: 20, redraw: () => {}, pickerWords: pickersEn },
    options,
    list,
    state,
    isFindingMore: false,
    asking: undefined,
    said: text,
    ...more,
  };
  const preview = new Preview([{ text }, { markdown: text }, { diff: text }]);
  return [WIDTH, WIDEST].flatMap((width) => drawPicker(picture, { width, preview }).lines);
}

const around = {
  width: WIDTH,
  height: 20,
  whole: 20,
  reading: 20,
  most: 20,
  others: 0,
  isDraft: false,
  isLeft: false,
  hint: undefined,
};

function question(text: string, kind: string): string[] {
  const request = { requestId: "r", plugin: text, kind, title: text, fallback: text, options: [] };
  return drawQuestion(
    new Question(request as never, en, () => {}),
    { ...around, others: 1 },
    { theme, words: en, keys },
  ).lines;
}

function help(text: string): string[] {
  const commands = [{ name: text, usage: text, description: text }] as never;
  return new Help({ theme, words: en, keys, actions: new Set(), commands, rows: () => 40, close: () => {} }).render(
    WIDTH,
  );
}

function typed(text: string): string[] {
  const { field, type } = desk();
  type(paste(text));
  return field.render(WIDTH);
}

function recalled(text: string): string[] {
  const { field } = desk();
  field.setText(text);
  return field.render(WIDTH);
}

const parts: Readonly<Record<string, (text: string) => readonly string[]>> = {
  Markdown: (text) => markdownLines(safeText(text), WIDTH, drawing),
  "code in a language": (text) => markdownLines(safeText(`\`\`\`ts\n${text}\n\`\`\``), WIDTH, drawing),
  "a table": (text) =>
    markdownLines(safeText(`| a | b |\n|---|---|\n| ${text.replaceAll("\n", " ")} | 2 |`), WIDTH, drawing),
  "a reply that arrives": (text) => live(reply(text)),
  "a call that runs": (text) => live(call(text)),
  "another person's message": (text) => userLines(text, { label: "", author: text }, WIDTH, look),
  "the output of a command": (text) => outputLines(text, WIDTH),
  "the status line": (text) => [statusLine(statusOf(view(text)), WIDTH)],
  "what a tool does": (text) => activity(text, { live: [call(text)] }),
  "a lost connection": (text) => activity(text, { connection: "closed", error: { message: text } }),
  "an attempt after a failure": (text) => activity(text, { retrying: { attempt: 1, of: 2, reason: text } }),
  "the first screen": (text) => welcome({ version: "1", cwd: text, keys, view: view(text) }, WIDTH, look),
  "the queue": (text) =>
    queueStrip(
      [
        { mode: "steer", content: text },
        { mode: "follow_up", content: text },
      ] as never,
      WIDTH,
      { theme, words: en, keys },
      { chosen: undefined, editing: undefined },
    ),
  "a panel of a plugin": (text) => pluginPanels([{ plugin: text, lines: [text, text] }], WIDTH, theme),
  "the todo list": (text) =>
    todoPanel({ display: "list", title: text, text, items: [{ text, state: "active" }] }, WIDTH, theme),
  "a picker": (text) => picker(text),
  "a picker that has failed": (text) => picker(text, { kind: "failed", why: text }),
  "a picker that asks": (text) => picker(text, undefined, { asking: { label: text, text, give: () => {} } }),
  "a question for a text": (text) => question(text, "input"),
  "a question for yes or no": (text) => question(text, "confirm"),
  help,
  "what was pasted": typed,
  "what was recalled": recalled,
};

describe("text of others", () => {
  it.each(Object.keys(parts))("has no control characters left in %s, and fits", (name) => {
    expect(leaks(parts[name] as (text: string) => string[], name.startsWith("a picker") ? WIDEST : WIDTH)).toEqual([]);
  });

  it("has none left among completions", async () => {
    const items = cases.map((text) => ({ text, label: text, detail: text }));
    const completing = new Completing([async () => ({ length: 0, items })]);
    completing.ask({ mode: "message", before: "", wanted: true });
    await eventually(() => expect(completing.render(WIDTH, theme)).not.toEqual([]));
    const shown = cases.flatMap((_, at) => {
      completing.take("\u001b[B", keys, { mode: "message", before: "" });
      // The list shows eight at a time.
      return at % 8 === 0 ? completing.render(WIDTH, theme) : [];
    });
    expect(shown.filter((line) => isBad(line, WIDTH))).toEqual([]);
  });
});
