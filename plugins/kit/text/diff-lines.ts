/** Parses unified diffs for display. Runs in browsers, too. */

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** Maximum length of a line, in characters, in which changed words are searched. In longer lines that would take long. */
const MAX_LINE = 5_000;
/** If more than this share of a line has changed, its changed words are not highlighted. */
const MOST_CHANGED = 0.8;

/** A line of a diff. */
export interface DiffLine {
  /** `@` marks a place where the diff leaves out lines, `\` a remark that is not a line of the file. */
  sign: " " | "-" | "+" | "@" | "\\";
  text: string;
  /** The line's number before the change (`old`) and after it (`now`), counted from 1; absent if the line does not exist then. */
  old?: number;
  now?: number;
  /** Number of unchanged lines that an `@` stands for. */
  count?: number;
}

/** A part of a text, in characters. */
export interface Range {
  from: number;
  to: number;
}

/** Parses the lines of a unified diff of one file, without its header. A diff without `@@` lines is read as a single hunk. */
export function readDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 1;
  let now = 1;
  const all = diff.replace(/\n$/, "").split("\n");
  let isInside = !all.some((line) => HUNK.test(line));
  for (const line of all) {
    const [hunk, oldStart, oldCount, nowStart, nowCount] = HUNK.exec(line) ?? [];
    if (hunk !== undefined) {
      const next = startOf(nowStart, nowCount);
      lines.push({ sign: "@", text: "", count: Math.max(0, next - now) });
      old = startOf(oldStart, oldCount);
      now = next;
      isInside = true;
    } else if (!isInside || (lines.length === 0 && /^(?:---|\+\+\+) /.test(line))) continue;
    else if (line.startsWith("\\")) lines.push({ sign: "\\", text: line.slice(2) });
    // `unifiedDiff` adds such a line where it has cut a long diff.
    else if (line.startsWith("…")) lines.push({ sign: "\\", text: line });
    else if (line.startsWith("-")) lines.push({ sign: "-", text: line.slice(1), old: old++ });
    else if (line.startsWith("+")) lines.push({ sign: "+", text: line.slice(1), now: now++ });
    else lines.push({ sign: " ", text: line.slice(1), old: old++, now: now++ });
  }
  return lines;
}

/** The first line number of one side of a hunk. For an empty side, the header has the number of the line before it. */
function startOf(start = "1", count = "1"): number {
  return Number(start) + (count === "0" ? 1 : 0);
}

/** The number of lines that a diff adds and removes. */
export function diffSize(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (wanted: string) => lines.filter(({ sign }) => sign === wanted).length;
  return { added: count("+"), removed: count("-") };
}

/** Pairs removed and added lines where equally many follow each other. Maps the index of each line to the index of the other one. */
export function linePairs(lines: readonly DiffLine[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, "-");
    const added = runOf(lines, at + removed, "+");
    if (removed > 0 && removed === added)
      for (let each = at; each < at + removed; each++) pairs.set(each, each + removed).set(each + removed, each);
    at += Math.max(1, removed + added);
  }
  return pairs;
}

/** The number of consecutive lines with this sign, from index `from` on. */
export function runOf(lines: readonly DiffLine[], from: number, sign: DiffLine["sign"]): number {
  let count = 0;
  while (lines[from + count]?.sign === sign) count++;
  return count;
}

/** The changed part of each of two versions of a line, by words; undefined where it is empty or more than most of the line. */
export function changedWords(before: string, after: string): [Range | undefined, Range | undefined] {
  if (before.length > MAX_LINE || after.length > MAX_LINE) return [undefined, undefined];
  const old = before.match(/\w+|\s+|./gu) ?? [];
  const now = after.match(/\w+|\s+|./gu) ?? [];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const rangeOf = (words: readonly string[], length: number) => {
    const from = lengthOf(words.slice(0, start));
    const to = length - lengthOf(words.slice(words.length - end));
    return from < to && to - from <= MOST_CHANGED * length ? { from, to } : undefined;
  };
  return [rangeOf(old, before.length), rangeOf(now, after.length)];
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}
