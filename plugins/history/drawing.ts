import { everyPage } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { codeOf, type EventId, messageOf } from "@scorel/kernel";
import { cutToWidth } from "@scorel/kit/text/width";
import type { FilesPreview, TreePage, TreeRow } from "./contract.ts";

const LABEL = 9;
/** Maximum indentation of nested branches. */
const DEEPEST = 8;
const MARKS = { here: "●", point: "○", other: "·", beside: "┄" };

type Children = ReadonlyMap<EventId | null, readonly TreeRow[]>;
interface Line {
  row: TreeRow;
  prefix: string;
}

/**
 * Draws a session's tree. The current conversation runs down the left edge; an abandoned branch is drawn in full, one
 * step to the right, before the event that continues the conversation. `width` is in columns.
 */
export function draw(page: TreePage, width?: number): string {
  if (page.rows.length === 0) return "The session has no messages yet.\n";
  const children = childrenOf(page.rows);
  const fit = (line: string) => (width === undefined ? line : cutToWidth(line, width));
  return linesOf(children)
    .map((line) => `${fit(written(line, page))}\n`)
    .join("");
}

function written({ row, prefix }: Line, { leafId, idLength }: TreePage): string {
  const here = row.id === leafId;
  const mark = here ? MARKS.here : row.beside ? MARKS.beside : row.point ? MARKS.point : MARKS.other;
  const text = `${prefix}${mark} ${row.id.slice(0, idLength)}  ${row.label.padEnd(LABEL)}  ${here ? "(here) " : ""}${row.text}`;
  return text.trimEnd();
}

/** Groups rows by parent. A row whose parent is on an earlier page becomes a root. */
function childrenOf(rows: readonly TreeRow[]): Children {
  const here = new Set(rows.map(({ id }) => id));
  const children = new Map<EventId | null, TreeRow[]>();
  for (const row of rows) {
    const parentId = row.parentId !== null && here.has(row.parentId) ? row.parentId : null;
    const siblings = children.get(parentId);
    if (siblings) siblings.push(row);
    else children.set(parentId, [row]);
  }
  return children;
}

/** Iterative, because a conversation may be 100,000 events deep. */
function linesOf(children: Children): Line[] {
  const lines: Line[] = [];
  const waiting: { row: TreeRow; first: string; below: string }[] = [];
  const push = (parent: EventId | null, before: string) => {
    const { beside, left, next } = arranged(children.get(parent) ?? []);
    for (const row of beside) lines.push({ row, prefix: before });
    if (next) waiting.push({ row: next, first: before, below: before });
    const [first, below] = before.length / 2 < DEEPEST ? [`${before}├─`, `${before}│ `] : [before, before];
    for (const row of left.reverse()) waiting.push({ row, first, below });
  };
  push(null, "");
  for (let open = waiting.pop(); open; open = waiting.pop()) {
    lines.push({ row: open.row, prefix: open.first });
    push(open.row.id, open.below);
  }
  return lines;
}

/** Splits the children of an event into side events, abandoned branches, and the continuation. */
function arranged(rows: readonly TreeRow[]): { beside: TreeRow[]; left: TreeRow[]; next: TreeRow | undefined } {
  const beside = rows.filter((row) => row.beside);
  const path = rows.filter((row) => !row.beside);
  const next = path.find((row) => row.active) ?? path.at(-1);
  return { beside, left: path.filter((row) => row !== next), next };
}

/**
 * Returns a note about files that a move left unchanged, with the command that restores them. `how` makes the command
 * from an event id or `start`. Empty when no file differs or no plugin keeps checkpoints.
 */
export async function filesLeft(
  request: Client["request"],
  { sessionId, leafId }: { sessionId: string; leafId: EventId | null },
  how: (event: string) => string,
): Promise<string> {
  try {
    const { changes } = await everyPage((page) =>
      request("preview_rewind", { sessionId, targetEventId: leafId, ...page }),
    );
    const [only, more] = changes;
    if (!only) return "";
    const what = more
      ? `${changes.length} files stay as they are now. To restore what they were then`
      : `${only.path} stays as it is now. To restore what it was then`;
    return `${what}: ${how(leafId ?? "start")}\n`;
  } catch (thrown) {
    if (codeOf(thrown) === "HISTORY_NO_FILES") return "";
    return `Cannot tell whether files have changed since then: ${messageOf(thrown)}\n`;
  }
}

/** A sentence about how many files were left out of a very long answer; "" if none were. */
export function leftOutText({ leftOut = 0 }: { leftOut?: number } = {}): string {
  return leftOut === 0 ? "" : ` ${leftOut} further files are not named here.`;
}

/** The changes that a restore makes: without `overwrite`, a file that somebody else has changed since is kept as it is. */
export function restorable({ changes }: Pick<FilesPreview, "changes">, overwrite: boolean): FilesPreview["changes"] {
  return changes.filter(({ conflict }) => overwrite || conflict === undefined);
}

/** The most lines of diffs in a preview, and the most files that are named: nobody reads more before the answer to a question. */
const DIFF_LINES = 1_000;
const NAMED = 1_000;

/** Formats a preview of file changes for confirmation: the changes with their diffs, what is kept as it is, and what is not covered. */
export function drawPreview({ changes, notCovered }: FilesPreview, overwrite: boolean): string {
  let [left, hidden] = [DIFF_LINES, 0];
  const diffOf = (diff = "") => {
    const lines = diff === "" ? 0 : diff.trimEnd().split("\n").length;
    if (lines > left) hidden++;
    if (lines === 0 || lines > left) return "";
    left -= lines;
    return `${diff.trimEnd()}\n`;
  };
  const rows = changes.slice(0, NAMED).map(({ path, kind, diff, conflict }) => {
    if (conflict !== undefined && !overwrite) return `kept as it is: ${path}: ${conflict} (--overwrite replaces it)\n`;
    return `${kind}: ${path}${conflict === undefined ? "" : ` (${conflict})`}\n${diffOf(diff)}`;
  });
  const unnamed = changes.length - rows.length;
  const more = [
    ...(hidden > 0
      ? [`${counted(hidden, "diff")} left out, since the preview would have more than ${DIFF_LINES} lines.\n`]
      : []),
    ...(unnamed > 0 ? [`${counted(unnamed, "further file")} not named here.\n`] : []),
  ];
  const uncovered = notCovered.map(
    ({ path, reason }) => `not covered: ${path === "." ? "all files" : path}: ${reason}\n`,
  );
  const all = [...rows, ...more, ...uncovered];
  return all.length === 0 ? "No file differs from then.\n" : all.join("");
}

/** A number with its noun, such as `1 file` or `2 files`. */
export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}
