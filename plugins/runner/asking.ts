import { stripVTControlCharacters } from "node:util";
import type { Interaction } from "./contract.ts";

/** Lines that are looked at, at the end of what was said. */
const MOST_LINES = 12;
const HINT_CHARS = 200;
/** Milliseconds of silence after which an open line counts as a question. */
const QUIET_MS = { asking: 30, open: 300 };

/** A line without an end that stops here waits for somebody: `Name? `, `>>> `, `... `, `$ `, `[y/N]`. */
const OPEN = /(?:[:?>$#»❯]|(?<!\d)%|[[(][^\])]*[/|][^\])]*[\])])$|^\.\.\.$/;
const WHOLE = /[:?]\s*$|press (?:enter|return|any key)|type your|\(y\/n\)\s*$|\[y\/n\]\s*$/i;
const CHOOSE = /enter (?:the|a) number|(?:choose|select|pick) (?:one|an? (?:option|number))|your choice/i;
const CHOICE = /^\s*(?:\d+[.)]|\[\d+\])\s+\S/;

/** The end of each output since the program was last written to, and which of them spoke last. */
export interface Tails {
  stdout: string;
  stderr: string;
  last: "stdout" | "stderr";
}

/** What a program seems to wait for, by the end of what it said; undefined when it seems to wait for nothing. A guess. */
export function interactionIn({ last, ...tails }: Tails): Interaction | undefined {
  const other = last === "stdout" ? "stderr" : "stdout";
  // The two come by ways of their own: a prompt may have overtaken the line before it.
  return asked(tails[last]) ?? (isOpen(tails[other]) ? asked(tails[other]) : undefined);
}

/**
 * After so many milliseconds of silence one who would wait `ms` need not wait longer; undefined when more is to come. An open
 * line may be a question that was not understood, or dots that say how far a program is: the longer somebody would wait, the
 * more it is taken for the latter.
 */
export function patienceFor(tails: Tails, ms: number): number | undefined {
  if (interactionIn(tails)) return QUIET_MS.asking;
  return isOpen(tails[tails.last]) ? Math.max(QUIET_MS.open, ms / 10) : undefined;
}

function asked(text: string): Interaction | undefined {
  const lines = plain(text).split("\n").slice(-MOST_LINES);
  const line = lines.findLast((each) => each.trim() !== "")?.trim();
  if (line === undefined) return undefined;
  const asks = WHOLE.test(line) || (isOpen(text) && OPEN.test(line));
  const choices = lines.filter((each) => CHOICE.test(each)).length;
  if (CHOOSE.test(line) || (choices >= 2 && asks)) return { needs_input: true, kind: "selection", hint: cut(line) };
  return asks ? { needs_input: true, kind: "prompt", hint: cut(line) } : undefined;
}

/** Its last line has no end. */
function isOpen(text: string): boolean {
  const whole = plain(text);
  return whole.slice(whole.lastIndexOf("\n") + 1).trim() !== "";
}

/** As it is seen: without colours, and of a line that was written over only the last. */
function plain(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll("\r\n", "\n").split("\n");
  return lines.map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1)).join("\n");
}

function cut(line: string): string {
  return line.length > HINT_CHARS ? line.slice(-HINT_CHARS) : line;
}
