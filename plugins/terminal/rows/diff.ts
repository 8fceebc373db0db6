import type { Theme } from "../theme/theme.ts";
import { columnsIn, wrapped } from "./wrap.ts";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** A line of a diff, with its number. */
interface DiffLine {
  sign: " " | "-" | "+" | "@" | "\\";
  text: string;
  number: number;
}

/** A unified diff as coloured lines with numbers; words that differ between two versions of a line are marked. */
export function diffLines(diff: string, width: number, theme: Theme): string[] {
  const lines = linesOf(diff);
  const digits = String(Math.max(1, ...lines.map(({ number }) => number))).length;
  const marked = marks(lines, theme);
  return lines.flatMap(({ sign, text, number }, at) => {
    if (sign === "@") return at === 0 ? [] : [theme.style("faint", `${" ".repeat(digits)} ⋯`)];
    if (sign === "\\")
      return wrapped(theme.style("faint", `${" ".repeat(digits)}   ${text}`), width, " ".repeat(digits + 3));
    const role = sign === "+" ? "added" : sign === "-" ? "removed" : "faint";
    const head = `${theme.style("faint", String(number).padStart(digits))} ${theme.style(role, sign)} `;
    const indent = " ".repeat(digits + 3);
    return wrapped(head + (marked[at] ?? ""), Math.max(columnsIn(head) + 8, width), indent);
  });
}

/** How many lines a diff adds and removes. */
export function diffSize(diff: string): { added: number; removed: number } {
  const lines = linesOf(diff);
  const count = (wanted: string) => lines.filter(({ sign }) => sign === wanted).length;
  return { added: count("+"), removed: count("-") };
}

function linesOf(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 1;
  let now = 1;
  // A plugin may show a diff without headers: all of its lines are changes.
  let isInside = !/^@@ /m.test(diff);
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const [hunk, from, to] = HUNK.exec(line) ?? [];
    if (hunk !== undefined) {
      old = Number(from);
      now = Number(to);
      isInside = true;
      lines.push({ sign: "@", text: "", number: 0 });
    } else if (!isInside || (lines.length === 0 && /^(?:---|\+\+\+) /.test(line))) continue;
    else if (line.startsWith("\\")) lines.push({ sign: "\\", text: line.slice(2), number: 0 });
    else if (line.startsWith("-")) lines.push({ sign: "-", text: line.slice(1), number: old++ });
    else if (line.startsWith("+")) lines.push({ sign: "+", text: line.slice(1), number: now++ });
    else {
      lines.push({ sign: " ", text: line.slice(1), number: now++ });
      old++;
    }
  }
  return lines;
}

/** The texts of the lines; where as many lines were removed as added, each pair has its differing words marked. */
function marks(lines: readonly DiffLine[], theme: Theme): string[] {
  const texts = lines.map(({ sign, text }) =>
    sign === " " ? text : theme.style(sign === "+" ? "added" : "removed", text),
  );
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed, "+");
    if (removed > 0 && removed === added)
      for (let each = at; each < at + removed; each++) {
        const [before, after] = pair(lines[each]?.text ?? "", lines[each + removed]?.text ?? "", theme);
        texts[each] = before;
        texts[each + removed] = after;
      }
    at += Math.max(1, removed + added);
  }
  return texts;
}

function run(lines: readonly DiffLine[], from: number, sign: string): number {
  let count = 0;
  while (lines[from + count]?.sign === sign) count++;
  return count;
}

function pair(before: string, after: string, theme: Theme): [string, string] {
  const old = before.match(/\w+|\s+|./gu) ?? [];
  const now = after.match(/\w+|\s+|./gu) ?? [];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old[old.length - 1 - end] === now[now.length - 1 - end])
    end++;
  const draw = (words: readonly string[], role: "added" | "removed") => {
    const changed = words.slice(start, words.length - end).join("");
    const isWhole = changed.length > 0.8 * words.join("").length;
    return [
      theme.style(role, words.slice(0, start).join("")),
      theme.style(isWhole ? role : `${role}Word`, changed),
      theme.style(role, words.slice(words.length - end).join("")),
    ].join("");
  };
  return [draw(old, "removed"), draw(now, "added")];
}
