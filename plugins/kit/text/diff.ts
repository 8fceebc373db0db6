import { structuredPatch } from "diff";
import { beginningOf, endOf } from "./cut.ts";

const CONTEXT = 3;
/** Maximum length of a line in characters, and of a diff in lines. Longer ones are cut. */
const MAX_LINE = 400;
const MAX_LINES = 2_000;
const UNENDED = "\\ No newline at end of file";

interface DiffOptions {
  /** Cuts nothing, because a person is going to approve the whole change. */
  whole?: boolean;
}

/** The unified diff of a file; "" when nothing changed. */
export function unifiedDiff(path: string, before: string, after: string, { whole = false }: DiffOptions = {}): string {
  if (before === after) return "";
  // Lines that are far from any change are left out first: a list of all lines of a large file takes seconds and gigabytes.
  const start = sameStart(before, after);
  const end = sameEnd(before, after, start);
  const from = linesBack(before, start);
  const skipped = countLines(before, from);
  const old = linesOf(before.slice(from, before.length - end));
  const now = linesOf(after.slice(from, after.length - end));
  const head = Math.max(0, commonStart(old, now) - CONTEXT);
  const tail = Math.max(0, commonEnd(old, now, head + CONTEXT) - CONTEXT);
  const changed = [old, now].map((lines) => lines.slice(head, lines.length - tail)) as [string[], string[]];
  const hunks = hunksOf(changed[0], changed[1], skipped + head, whole ? (lines) => [...lines] : clip);
  return [`--- a/${path}`, `+++ b/${path}`, ...(whole ? hunks : cut(hunks))].join("\n");
}

function hunksOf(old: string[], now: string[], head: number, clip: (lines: readonly string[]) => string[]): string[] {
  const patch = structuredPatch("", "", old.join(""), now.join(""), "", "", { context: CONTEXT, maxEditLength: 1_000 });
  if (!patch) return [mark(head, old.length, head, now.length), ...clip([...all(old, "-"), ...all(now, "+")])];
  return patch.hunks.flatMap((hunk) => [
    mark(hunk.oldStart - 1 + head, hunk.oldLines, hunk.newStart - 1 + head, hunk.newLines),
    ...clip(hunk.lines),
  ]);
}

/** A hunk header. `from` counts from 0. As in diff, an empty side gets the number of the line before it. */
function mark(oldFrom: number, oldLines: number, newFrom: number, newLines: number): string {
  const side = (from: number, lines: number) => `${lines === 0 ? from : from + 1},${lines}`;
  return `@@ -${side(oldFrom, oldLines)} +${side(newFrom, newLines)} @@`;
}

function all(lines: readonly string[], sign: string): string[] {
  const isUnended = lines.length > 0 && !lines.at(-1)?.endsWith("\n");
  return [...lines.map((line) => sign + line.replace(/\n$/, "")), ...(isUnended ? [UNENDED] : [])];
}

/** Cuts long lines around the first difference. */
function clip(lines: readonly string[]): string[] {
  const removed = lines.find((line) => line.startsWith("-"))?.slice(1) ?? "";
  const added = lines.find((line) => line.startsWith("+"))?.slice(1) ?? "";
  let same = 0;
  while (same < removed.length && removed[same] === added[same]) same++;
  const from = same > MAX_LINE / 2 ? same - MAX_LINE / 4 : 0;
  return lines.map((line) => (line.length <= MAX_LINE ? line : `${line[0]}${window(line.slice(1), from)}`));
}

function window(text: string, from: number): string {
  const part = from < text.length ? beginningOf(endOf(text, text.length - from), MAX_LINE) : "";
  return `${from > 0 && part ? "…" : ""}${part}${from + MAX_LINE < text.length ? "…" : ""}`;
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LINES) return [...lines];
  return [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** The number of characters in the lines at the start that are the same in both texts. */
function sameStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** The number of characters in the lines at the end that are the same in both texts, without the first ones, which are the context. */
function sameEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let same = 0;
  while (same < most && before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same))
    same++;
  let at = before.length - same;
  for (let line = 0; line <= CONTEXT; line++) {
    at = before.indexOf("\n", at) + 1;
    if (at === 0) return 0;
  }
  return before.length - at;
}

/** The index that is as many lines before the start of a line as the context has. */
function linesBack(text: string, start: number): number {
  let at = start;
  for (let line = 0; line < CONTEXT && at > 0; line++) at = at === 1 ? 0 : text.lastIndexOf("\n", at - 2) + 1;
  return at;
}

/** The number of lines before the start of a line. */
function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[], taken: number): number {
  const most = Math.min(a.length, b.length) - taken;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return Math.max(0, count);
}
