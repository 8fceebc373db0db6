import { type DiffLine, runOf } from "@scorel/kit/text/diff-lines";

/** Unchanged lines that stay in sight beside a change. */
const CONTEXT = 3;
/** Fewer unchanged lines are not worth a fold. */
const LEAST_FOLDED = 6;

/** What stands in one row of a drawn diff. Lines are named by their index. */
export type DiffPart =
  /** A line under the others. */
  | { kind: "line"; at: number }
  /** Two versions side by side; where one is absent there is nothing. */
  | { kind: "pair"; old?: number | undefined; now?: number | undefined }
  /** Unchanged lines that the diff leaves out. */
  | { kind: "gap"; count: number }
  /** Unchanged lines that are folded: those from `at` on. */
  | { kind: "fold"; at: number; count: number }
  | { kind: "note"; at: number };

interface PartOptions {
  /** Both versions stand side by side. */
  isSplit: boolean;
  /** The folds that were opened, by their first line; "all" folds nothing. */
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

/** Puts lines that were removed beside those that were added in their place. Returns the index after both. */
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
