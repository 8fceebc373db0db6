import { stripVTControlCharacters } from "node:util";
import type { Interaction } from "../contract.ts";

/** How many lines at the end of the output are searched for a question. */
const MOST_LINES = 12;
const HINT_CHARS = 200;
/** Milliseconds of silence after which an unfinished line counts as a question. */
const QUIET_MS = { asking: 30, open: 300 };

/** The end of an unfinished line that looks like a prompt: `Name? `, `>>> `, `... `, `$ `. */
const OPEN = /(?:[:?>$#»❯]|(?<!\d)%)$|^\.\.\.$/;
const WHOLE = /[:?]\s*$|press (?:enter|return|any key)|type your|\(y\/n\)\s*$|\[y\/n\]\s*$/i;
const CHOOSE = /enter (?:the|a) number|(?:choose|select|pick) (?:one|an? (?:option|number))|your choice/i;
const CHOICE = /^\s*(?:\d+[.)]|\[\d+\])\s+\S/;

/** The end of each output stream since the program was last written to, and which stream wrote last. */
export interface Tails {
  stdout: string;
  stderr: string;
  last: "stdout" | "stderr";
}

/** Guesses from the end of its output what a program waits for; undefined if it does not seem to wait. */
export function interactionIn({ last, ...tails }: Tails): Interaction | undefined {
  const other = last === "stdout" ? "stderr" : "stdout";
  // The streams are not synchronised: a prompt may arrive before the line that was printed ahead of it.
  return asked(tails[last]) ?? (isOpen(tails[other]) ? asked(tails[other]) : undefined);
}

/**
 * Milliseconds of silence after which a caller who would wait `ms` may stop waiting; undefined while more output is likely. An
 * unfinished line may be an unrecognised prompt, or progress dots: the longer the caller would wait, the longer it counts as
 * progress.
 */
export function patienceFor(tails: Tails, ms: number): number | undefined {
  if (interactionIn(tails)) return QUIET_MS.asking;
  return isOpen(tails[tails.last]) ? Math.max(QUIET_MS.open, ms / 10) : undefined;
}

function asked(text: string): Interaction | undefined {
  const lines = plain(text).split("\n").slice(-MOST_LINES);
  const line = lines.findLast((each) => each.trim() !== "")?.trim();
  if (line === undefined) return undefined;
  const asks = WHOLE.test(line) || (isOpen(text) && (OPEN.test(line) || endsWithChoices(line)));
  const choices = lines.filter((each) => CHOICE.test(each)).length;
  if (CHOOSE.test(line) || (choices >= 2 && asks)) return { needs_input: true, kind: "selection", hint: cut(line) };
  return asks ? { needs_input: true, kind: "prompt", hint: cut(line) } : undefined;
}

/** Whether a line ends with choices in brackets: `[y/N]`, `(yes|no)`. A regular expression would take seconds for some lines. */
function endsWithChoices(line: string): boolean {
  if (!/[\])]$/.test(line)) return false;
  const inside = line.slice(0, -1).split(/[\])]/).at(-1) as string;
  const open = inside.search(/[[(]/);
  return open >= 0 && /[/|]/.test(inside.slice(open));
}

/** Whether the last line is unfinished. */
function isOpen(text: string): boolean {
  const whole = plain(text);
  return whole.slice(whole.lastIndexOf("\n") + 1).trim() !== "";
}

/** Text as a terminal shows it: without colours, and with overwritten lines reduced to their last version. */
function plain(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll("\r\n", "\n").split("\n");
  return lines.map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1)).join("\n");
}

function cut(line: string): string {
  return line.length > HINT_CHARS ? line.slice(-HINT_CHARS) : line;
}
