import { structuredPatch } from "diff";

/** With more edits than this, the whole text is shown as replaced. */
const MAX_EDITS = 2_000;
/** Limits of a diff, in characters per line and in lines. */
const MAX_LINE = 400;
const MAX_LINES = 2_000;

/** The unified diff of a file; empty when nothing changed. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: MAX_EDITS });
  const lines = patch
    ? patch.hunks.flatMap((hunk) => [
        `@@ -${side(hunk.oldStart, hunk.oldLines)} +${side(hunk.newStart, hunk.newLines)} @@`,
        ...hunk.lines,
      ])
    : replaced(before, after);
  const shown = lines.slice(0, MAX_LINES).map(cut);
  if (lines.length > MAX_LINES) shown.push(`… ${lines.length - MAX_LINES} more lines`);
  return [`--- a/${path}`, `+++ b/${path}`, ...shown].join("\n");
}

function replaced(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const mark = `@@ -${side(1, old.length)} +${side(1, now.length)} @@`;
  return [mark, ...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
}

/** A side of a hunk header. As in diff, an empty side is named by the line before it. */
function side(from: number, lines: number): string {
  return `${lines === 0 ? from - 1 : from},${lines}`;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}
