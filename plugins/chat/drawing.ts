import type { TurnOutcome } from "@scorel/agent/contract";
import type { DisplayAction } from "@scorel/kernel";
import { displayText } from "@scorel/kit/text/display";
import { lineOf } from "@scorel/kit/text/one-line";
import { cutToWidth, widthOf } from "@scorel/kit/text/width";
import { indented, marked } from "./indented.ts";

const SHOWN_LINES = 12;

export type Card = Extract<DisplayAction, { display: "card" }>;

/** Wraps lines at words to the terminal's width, and indents continuation lines to the second column of a table. */
export function wrapped(text: string, columns: number | undefined): string {
  // `columns` is 0 for a terminal without a size.
  if (!columns) return text;
  return text
    .split("\n")
    .map((line) => wrappedLine(line, columns))
    .join("\n");
}

function wrappedLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  // The gap between two columns. This pattern takes linear time, also for a line with very many blanks.
  const gap = /\S\s{2,}(?=\S)/.exec(line);
  const head = gap ? line.slice(0, gap.index + gap[0].length) : (/^\s*/.exec(line)?.[0] ?? "");
  // A narrow second column would be worse than the terminal's own line breaks.
  if (widthOf(head) > columns / 2) return line;
  const indent = " ".repeat(widthOf(head));
  const lines: string[] = [];
  let row = head;
  for (const word of line.slice(head.length).split(" ")) {
    const longer = row === head || row === indent ? `${row}${word}` : `${row} ${word}`;
    if (widthOf(longer) > columns && row.trim() !== "" && row !== head) {
      lines.push(row);
      row = `${indent}${word}`;
    } else row = longer;
  }
  return [...lines, row].join("\n");
}

/** Returns a plugin's notification if it is more than information. */
export function warningIn(display: DisplayAction): string | undefined {
  const isMore = display.display === "notice" && display.level !== "info";
  return isMore ? `${display.level}: ${display.text}` : undefined;
}

/** Formats a display other than a card or a message. */
export function drawn(display: DisplayAction, columns: number | undefined): string {
  if (display.display === "bubble") return display.text.trimEnd();
  const text = shortened(displayText(display));
  return text === "" ? "" : indented(text, columns);
}

/** The most columns of the name before a message. */
const NAME_COLUMNS = 30;

/** Formats a message of another client, with its name if it has one. Each row is marked, to tell it from other output. */
export function wordsOf(by: string | undefined, text: string, columns: number | undefined): string {
  return marked(text, `  ${cutToWidth(lineOf(by ?? ""), NAME_COLUMNS)}> `, columns);
}

/** Formats the last `count` lines of a tool's output, indented. A diff is shown in full, since the user must see it. */
export function cardText({ text, body = [] }: Card, columns: number | undefined, count = SHOWN_LINES): string {
  const parts = [endOf(text, count), ...body.map(bodyText)].filter((part) => part !== "");
  return parts.length === 0 ? "" : indented(parts.join("\n"), columns).trimEnd();
}

/** The text of a part of a card's body. A message is shortened as other text is. */
function bodyText(part: DisplayAction): string {
  return part.display === "bubble" ? shortened(part.text) : displayText(part);
}

/** Shortens text to its first `count` lines, and appends the number of lines that are left out. */
export function shortened(text: string, count = SHOWN_LINES): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= count) return lines.join("\n");
  return [...lines.slice(0, count), `… ${lines.length - count} more lines`].join("\n");
}

/** Shortens text to its last `count` lines, such as the result of a test run, after the number of lines that are left out. */
function endOf(text: string, count: number): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= count) return lines.join("\n");
  return [`… ${lines.length - count} more lines`, ...lines.slice(-count)].join("\n");
}

/** The last line of a turn: tokens, cost if it is known, time and status texts. Undefined for a turn that has used no model. */
export function costText({ usage, durationMs }: TurnOutcome, statuses: readonly string[]): string | undefined {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  if (input + usage.output === 0) return undefined;
  const tokens = `${input} tokens in, ${usage.output} out`;
  const cost = usage.cost.total > 0 ? [`$${usage.cost.total.toFixed(4)}`] : [];
  const parts = [tokens, ...cost, `${(durationMs / 1000).toFixed(1)} s`, ...statuses];
  return `[${parts.join(" · ")}]`;
}
