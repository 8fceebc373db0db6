import { type DiffLine, runOf } from "@scorel/kit/text/diff-lines";

/** Number of unchanged lines that stay visible around a change. */
const CONTEXT = 3;
/** Fewer unchanged lines are not folded. */
const LEAST_FOLDED = 6;

/** One row of a rendered diff. Lines are given by their index. */
export type DiffPart =
  /** A line of the one-column view. */
  | { kind: "line"; at: number }
  /** Two versions side by side. One of them may be absent. */
  | { kind: "pair"; old?: number | undefined; now?: number | undefined }
  /** Unchanged lines that the diff does not contain. */
  | { kind: "gap"; count: number }
  /** Unchanged lines that are folded, starting at index `at`. */
  | { kind: "fold"; at: number; count: number }
  | { kind: "note"; at: number };

interface PartOptions {
  /** Whether both versions are shown side by side. */
  isSplit: boolean;
  /** First lines of the folds that were opened. With "all", nothing is folded. */
  open: ReadonlySet<number> | "all";
}

/** The rows of a diff, in order. */
export function partsOf(lines: readonly DiffLine[], { isSplit, open }: PartOptions): DiffPart[] {
  const parts: DiffPart[] = [];
  for (let at = 0; at < lines.length; ) {
    const { sign, count = 0 } = lines[at] as DiffLine;
    if (sign === "@") {
      if (count > 0) parts.push({ kind: "gap", count });
      at++;
    } else if (sign === "\\") parts.push({ kind: "note", at: at++ });
    else if (sign === " ") {
      const unchanged = runOf(lines, at, " ");
      addUnchanged(parts, lines, { from: at, to: at + unchanged }, { isSplit, open });
      at += unchanged;
    } else if (isSplit) at = addPairs(parts, lines, at);
    else parts.push({ kind: "line", at: at++ });
  }
  return parts;
}

function addUnchanged(
  parts: DiffPart[],
  lines: readonly DiffLine[],
  { from, to }: { from: number; to: number },
  { isSplit, open }: PartOptions,
): void {
  const isChange = (at: number) => /[-+]/.test(lines[at]?.sign ?? "");
  const begin = from + (isChange(from - 1) ? CONTEXT : 0);
  const end = to - (isChange(to) ? CONTEXT : 0);
  const isFolded = open !== "all" && !open.has(begin) && end - begin >= LEAST_FOLDED;
  for (let at = from; at < to; at++)
    if (isFolded && at === begin) parts.push({ kind: "fold", at, count: end - begin });
    else if (!isFolded || at < begin || at >= end)
      parts.push(isSplit ? { kind: "pair", old: at, now: at } : { kind: "line", at });
}

/** Pairs removed lines with the lines that were added in their place. Returns the index after both. */
function addPairs(parts: DiffPart[], lines: readonly DiffLine[], at: number): number {
  const removed = runOf(lines, at, "-");
  const added = runOf(lines, at + removed, "+");
  const from = at + removed;
  for (let each = 0; each < Math.max(removed, added); each++)
    parts.push({
      kind: "pair",
      old: each < removed ? at + each : undefined,
      now: each < added ? from + each : undefined,
    });
  return from + added;
}
