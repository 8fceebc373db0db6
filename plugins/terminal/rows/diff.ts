import { changedWords, type DiffLine, linePairs, type Range, readDiff } from "@scorel/kit/text/diff-lines";
import type { Theme } from "../theme/theme.ts";
import { columnsIn, wrapped } from "./wrap.ts";

/**
 * A unified diff as coloured lines with line numbers. Words that differ between two versions of a line are marked. Unchanged lines are
 * shown only if they are at most `near` lines away from a change. Default: all are shown.
 */
export function diffLines(diff: string, width: number, theme: Theme, near?: number): string[] {
  const all = readDiff(diff);
  const lines = near === undefined ? all : nearChanges(all, near);
  const digits = String(lines.reduce((most, line) => Math.max(most, numberOf(line)), 1)).length;
  const pairs = linePairs(lines);
  return lines.flatMap((line, at) => {
    const { sign, text } = line;
    if (sign === "@") return at === 0 ? [] : [theme.style("faint", `${" ".repeat(digits)} ⋯`)];
    if (sign === "\\")
      return wrapped(theme.style("muted", `${" ".repeat(digits)}   ${text}`), width, " ".repeat(digits + 3));
    const role = sign === "+" ? "added" : sign === "-" ? "removed" : "faint";
    const head = `${theme.style("faint", String(numberOf(line)).padStart(digits))} ${theme.style(role, sign)} `;
    const indent = " ".repeat(digits + 3);
    const other = lines[pairs.get(at) ?? -1];
    return wrapped(head + marked(line, other, theme), Math.max(columnsIn(head) + 8, width), indent);
  });
}

function nearChanges(lines: readonly DiffLine[], near: number): DiffLine[] {
  const isKept = lines.map(({ sign }) => sign !== " ");
  for (const [at, { sign }] of lines.entries())
    if (sign === "+" || sign === "-") isKept.fill(true, Math.max(0, at - near), at + near + 1);
  return lines.filter((_, at) => isKept[at]);
}

function numberOf({ now, old }: DiffLine): number {
  return now ?? old ?? 0;
}

/** The text of a line, with the words marked that differ from `other`, the other version of the line. */
function marked({ sign, text }: DiffLine, other: DiffLine | undefined, theme: Theme): string {
  if (sign === " ") return text;
  const isNew = sign === "+";
  const role = isNew ? "added" : "removed";
  if (!other) return theme.style(role, text);
  const [before, after] = isNew ? changedWords(other.text, text) : changedWords(text, other.text);
  const { from, to }: Range = (isNew ? after : before) ?? { from: text.length, to: text.length };
  return [
    theme.style(role, text.slice(0, from)),
    theme.style(`${role}Word`, text.slice(from, to)),
    theme.style(role, text.slice(to)),
  ].join("");
}
