import { clientName, type Row } from "@scorel/host/client";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import { widthOf } from "@scorel/kit/text/width";
import { cardText, drawn, shortened, wordsOf } from "./drawing.ts";
import { marked } from "./indented.ts";

/** The most turns, and the most rows of the terminal, that are shown of the past. */
const MAX_TURNS = 5;
const MAX_ROWS = 60;
/** The most lines of a message, and of a tool's output. */
const MESSAGE_LINES = 12;
const OUTPUT_LINES = 4;

/** Events that mean nothing afterwards, or that are shown elsewhere. */
const OVER = new Set([
  ...["rewind", "branch", "session_info", "permission_mode"],
  ...["queue_update", "approval_request"],
]);

/** Matches the name of a terminal that has a number, such as `terminal-2`. */
const TERMINAL = /^(terminal)-\d+$/;

export interface Past {
  rows: readonly Row[];
  /** Whether there are earlier events than those of the rows. */
  more: boolean;
}

export interface PastOptions {
  sessionId: string;
  /** Whether messages are shown with the name of their author, even if there is only one author. */
  named: boolean;
  /** Whether the session's files are on another computer. */
  elsewhere: boolean;
  columns: number | undefined;
}

/** The last turns of a conversation as text, after a line that says how much came before. */
export function pastText(past: Past, options: PastOptions): string {
  const rows = past.rows.filter(({ active, type, display }) => active && !OVER.has(type) && !isRetried(display));
  // Closed terminals were mostly opened by the same person, so they count as one author.
  const authors = new Set(rows.filter(isTyped).map(({ clientId }) => clientName(clientId)?.replace(TERMINAL, "$1")));
  const isNamed = options.named || authors.size > 1;
  const columns = options.columns || 80;
  const blocks: string[] = [];
  let [left, turns, first] = [MAX_ROWS, 0, rows.length];
  for (; first > 0 && left > 0 && turns < MAX_TURNS; first--) {
    const row = rows[first - 1] as Row;
    const block = blockOf(row, isNamed, columns);
    const height = heightOf(block, columns);
    if (height > left && blocks.length > 0) break;
    blocks.push(height > left ? endOf(block, left, columns) : block);
    left -= height;
    if (isMessage(row)) turns++;
  }
  const before = beforeText(rows.slice(0, first), past.more, options);
  return [before, ...blocks.reverse()].filter((text) => text !== "").join("\n");
}

function isMessage({ display }: Row): boolean {
  return display.display === "bubble" && display.role === "user";
}

/** Whether a row is a message or a shell line of a user. */
function isTyped(row: Row): boolean {
  return isMessage(row) || row.type === "shell_line";
}

/** Whether a row is a failed reply that was requested again. */
function isRetried(display: Row["display"]): boolean {
  return display.display === "bubble" && display.label === "retried";
}

function blockOf({ display, clientId, type }: Row, isNamed: boolean, columns: number): string {
  if (display.display === "bubble" && display.role !== "user")
    return display.partial ? `${display.text.trimEnd()}\n(cut off here)` : display.text.trimEnd();
  if (display.display === "bubble") {
    const words = shortened(display.text, MESSAGE_LINES);
    return isNamed ? wordsOf(clientName(clientId), words, columns) : marked(words, "> ", columns);
  }
  if (display.display !== "card") return shortened(drawn(display, columns), OUTPUT_LINES);
  const failed = display.status === "error" ? "failed: " : "";
  const by = isNamed && type === "shell_line" ? `${clientName(clientId) ?? "another client"} ` : "";
  const title = marked(`${failed}${by}${visibleBreaks(display.title)}`, "  ", columns, "· ");
  return `${title}\n${shortened(cardText(display, columns, OUTPUT_LINES), OUTPUT_LINES + 1)}`.trimEnd();
}

function beforeText(earlier: readonly Row[], more: boolean, { sessionId, elsewhere }: PastOptions): string {
  if (earlier.length === 0 && !more) return "";
  const messages = earlier.filter(({ display }) => display.display === "bubble").length;
  const counted = `${more ? "more than " : ""}${messages} ${messages === 1 ? "message" : "messages"}`;
  const what = messages > 0 ? `${counted} before this` : "there is more before this";
  return `(${what}; all of it: scorel session show ${sessionId}${elsewhere ? ", on the computer of the host" : ""})`;
}

/** The number of rows that text takes in the terminal. */
function heightOf(text: string, columns: number): number {
  return text === "" ? 0 : text.split("\n").reduce((sum, line) => sum + rowsOf(line, columns), 0);
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(widthOf(line) / columns));
}

/** The end of text, in at most `rows` rows. */
function endOf(text: string, rows: number, columns: number): string {
  const lines = text.split("\n");
  let [first, left] = [lines.length, rows - 1];
  while (first > 0 && rowsOf(lines[first - 1] as string, columns) <= left)
    left -= rowsOf(lines[--first] as string, columns);
  const rest = first < lines.length ? lines.slice(first) : [(lines.at(-1) as string).slice(-columns * left)];
  return ["…", ...rest].join("\n");
}
