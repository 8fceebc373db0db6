import type { DisplayAction } from "@scorel/kernel";
import { diffSize, readDiff } from "@scorel/kit/text/diff-lines";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import { diffLines } from "./diff.ts";
import { type Look, type RowFacts, timeText } from "./look.ts";
import { safeLine, safeOutput, safeText } from "./safe.ts";
import { columnsIn, cut, wrapped } from "./wrap.ts";

/** Draws any display. */
export type Draw = (display: DisplayAction, width: number, look: Look, facts: RowFacts) => string[];
type Card = Extract<DisplayAction, { display: "card" }>;

/** Lines of the output that a folded card shows, by its outcome. More for a failure, since its end says what went wrong. */
const SHOWN = { running: 5, done: 4, error: 12, warned: 12 } as const;
/** The most lines that a folded card shows of a failure whose reason is a single long line. */
const SHOWN_OF_REASON = 4;
/** Lines of a diff that are shown of a folded card. */
const SHOWN_OF_DIFF = 40;
const MARKS = { running: "◌", done: "●", error: "✗", warned: "✗" } as const;
const ROLES = { running: "accent", done: "success", error: "error", warned: "warning" } as const;
type Outcome = keyof typeof MARKS;

/** Draws a card for a tool call: its title with state and time, the end of its output, and its parts such as diffs. */
export function cardLines(card: Card, width: number, look: Look, facts: RowFacts, draw: Draw): string[] {
  const { theme } = look;
  const { body = [] } = card;
  // The rest of the text of a refusal is for the model.
  const output =
    facts.refused === undefined ? safeOutput(card.text).trimEnd() : look.words.saidNo(safeLine(facts.refused));
  const outcome = outcomeOf(card, facts);
  const lines = output === "" ? [] : said(withoutCode(output.split("\n"), facts), look);
  const isShort = lines.length === 1 && columnsIn(lines[0] ?? "") <= 60 && body.length === 0 && outcome !== "error";
  const size = body.map((part) => sizeOf(part, look)).join("");
  const aside = isShort ? theme.style("muted", `  ${lines[0]}`) : size;
  const head = titleLines(card, aside, outcome, width, look, facts);
  // A diff says more than a single line of output about it.
  const isTold = isShort || (size !== "" && lines.length === 1 && card.status === "done");
  const shown = isTold ? [] : outputLines(lines, outcome, width, look, facts);
  return [...head, ...shown, ...body.flatMap((part) => bodyLines(part, width, look, facts, draw))];
}

/** The outcome of a card: a command with an exit code other than 0 has ended, but counts as a warning. */
function outcomeOf({ status }: Card, { exitCode }: RowFacts): Outcome {
  return status === "done" && exitCode ? "warned" : status;
}

/** The lines without the last one if it says the exit code, which the title shows. */
function withoutCode(lines: string[], { exitCode }: RowFacts): string[] {
  return exitCode && lines.at(-1) === `[exit code ${exitCode}]` ? lines.slice(0, -1) : lines;
}

/** The lines of an output, with Scorel's own remarks about the state of a command translated into the user's language. */
function said(lines: readonly string[], { words }: Look): string[] {
  return lines.map((line, at) => (at < lines.length - 2 ? line : words.state(line)));
}

/** The exit code of a command that has failed. */
function codeOf({ exitCode }: RowFacts, outcome: Outcome, { words, theme }: Look): string {
  return exitCode ? theme.style(ROLES[outcome], `  ${words.exitCode(exitCode)}`) : "";
}

/** The duration of the work, if it is long enough to be shown. */
function timeOf({ isWaiting, durationMs = 0 }: RowFacts, { words }: Look): string {
  if (isWaiting) return `  ${words.waitsForOthers}`;
  return durationMs < 100 ? "" : `  ${timeText(durationMs)}`;
}

function titleLines(
  { title }: Card,
  aside: string,
  outcome: Outcome,
  width: number,
  look: Look,
  facts: RowFacts,
): string[] {
  const { theme } = look;
  const mark = theme.style(ROLES[outcome], MARKS[outcome]);
  const isOpen = look.isExpanded || facts.isOpen === true;
  const by = facts.author === undefined ? "" : `${safeLine(facts.author)} `;
  const rest = codeOf(facts, outcome, look) + theme.style("muted", timeOf(facts, look)) + aside;
  if (!isOpen) {
    const line = safeText(visibleBreaks(by + title));
    const room = Math.max(10, width - 2 - columnsIn(rest));
    return [cut(`${mark} ${cut(theme.style("tool", line), room)}${rest}`, width)];
  }
  const lines = safeText(by + title)
    .split("\n")
    .flatMap((line) => wrapped(theme.style("tool", line), width - 2, "  "));
  return lines.map((line, at) =>
    cut(at === 0 ? `${mark} ${line}${lines.length === 1 ? rest : ""}` : `  ${line}`, width),
  );
}

function outputLines(lines: readonly string[], status: Outcome, width: number, look: Look, facts: RowFacts): string[] {
  if (lines.length === 0) return [];
  const { theme, words } = look;
  const most = look.isExpanded || facts.isOpen ? Number.POSITIVE_INFINITY : (facts.shownLines ?? SHOWN[status]);
  // If only one line were hidden, it is shown instead of a line that says so.
  const hidden = lines.length > most + 1 ? lines.length - most : 0;
  const bar = theme.style("faint", "│ ");
  const shown = lines.slice(hidden);
  const [only = ""] = shown;
  const drawn =
    most === Number.POSITIVE_INFINITY
      ? shown.flatMap((line) => wrapped(theme.style("muted", line), width - 4))
      : status === "error" && shown.length === 1
        ? reasonLines(theme.style("error", only), width - 4)
        : shown.map((line) => cut(theme.style("muted", line), width - 4));
  const above = hidden > 0 ? [theme.style("muted", words.moreAbove(hidden, look.expandKey))] : [];
  return [...above, ...drawn].map((line) => `  ${bar}${line}`);
}

/** The reason of a failure in a folded card, in at most `SHOWN_OF_REASON` lines. */
function reasonLines(reason: string, width: number): string[] {
  const lines = wrapped(reason, width);
  if (lines.length <= SHOWN_OF_REASON) return lines;
  const last = cut(`${lines[SHOWN_OF_REASON - 1]} …`, width);
  return [...lines.slice(0, SHOWN_OF_REASON - 1), last];
}

function bodyLines(part: DisplayAction, width: number, look: Look, facts: RowFacts, draw: Draw): string[] {
  const { theme, words } = look;
  const isDiff = part.display === "diff";
  const isSaid = part.display === "bubble";
  // A bar marks text of a subagent, to tell it from text of the model.
  const edge = isSaid ? `  ${theme.style("faint", "│ ")}` : "  ";
  const room = width - columnsIn(edge);
  const lines = isDiff ? diffLines(safeText(part.text), room, theme) : draw(part, room, look, facts);
  const most = isDiff ? SHOWN_OF_DIFF : isSaid ? SHOWN.done : Number.POSITIVE_INFINITY;
  const isOpen = look.isExpanded || facts.isOpen === true;
  const hidden = isOpen || lines.length <= most + 1 ? 0 : lines.length - most;
  const more = hidden > 0 ? [theme.style("muted", words.moreLines(hidden, look.expandKey))] : [];
  return [...lines.slice(0, lines.length - hidden), ...more].map((line) => edge + line);
}

/** The number of added and removed lines of a diff, for the title. */
function sizeOf(part: DisplayAction, { theme }: Look): string {
  if (part.display !== "diff") return "";
  const { added, removed } = diffSize(readDiff(part.text));
  return `  ${theme.style("added", `+${added}`)} ${theme.style("removed", `-${removed}`)}`;
}

/** The title of a card as one line with visible line breaks, for the status line. */
export function shortTitle(display: DisplayAction): string {
  return display.display === "card" ? safeText(visibleBreaks(display.title)) : "";
}
