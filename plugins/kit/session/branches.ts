/** The fields of a `get_tree` row that are used here. */
interface TreeRow {
  id: string;
  parentId: string | null;
  label: string;
  active: boolean;
  beside?: true;
}

/** A part of a session's tree in which the conversation does not branch: up to a branch point, or to the end of a branch. */
export interface Branch<R> {
  /** The user's messages. A branch that begins with another reply to the same message begins with that reply. */
  rows: [R, ...R[]];
  /** The latest reply, by which branches that begin with the same words differ. */
  reply?: R;
  /** Number of branch points above the part. */
  depth: number;
  /** The last event of the latest branch that contains the part. */
  leafId: string;
  /** Whether the part belongs to the present conversation. */
  active: boolean;
  /** Whether the present conversation ends in this part. */
  current: boolean;
}

interface Step<R> {
  row: R;
  depth: number;
  /** The part that the row belongs to or, with `isNew`, follows. */
  part: Branch<R> | undefined;
  isNew: boolean;
}

/**
 * The parts of the tree between branch points, in its order. Where several branches continue a part, they follow one after the other, one
 * level deeper. What was undone is a part of its own.
 */
export function branchesOf<R extends TreeRow>(rows: readonly R[]): Branch<R>[] {
  const path = rows.filter(({ beside }) => beside === undefined);
  const known = new Set(path.map(({ id }) => id));
  const children = childrenOf(path, known);
  const latest = latestLeaves(path);
  const found: Branch<R>[] = [];
  const stack: Step<R>[] = [...(children.get(null) ?? [])]
    .reverse()
    .map((row) => ({ row, depth: 0, part: undefined, isNew: true }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { row, depth } = next;
    const { id, active } = row;
    let { part, isNew } = next;
    const isReply = row.label === "assistant" && part !== undefined;
    if (isReply || row.label === "user") {
      if (isNew || !part || part.active !== active) {
        part = { rows: [row], depth, active, leafId: latest.get(id) ?? id, current: false };
        found.push(part);
        isNew = false;
      } else if (!isReply) part.rows.push(row);
      if (isReply) part.reply = row;
    }
    const after = children.get(id) ?? [];
    const splits = after.length > 1;
    for (const child of [...after].reverse())
      stack.push({ row: child, depth: depth + (splits ? 1 : 0), part, isNew: isNew || splits });
  }
  // The parts of the present conversation follow one below the other, so the last one has its end.
  const last = found.findLast(({ active }) => active);
  if (last) last.current = true;
  return found;
}

/** Groups rows by the id of their parent; the group `null` has the rows whose parent is not loaded. */
function childrenOf<R extends TreeRow>(rows: readonly R[], known: ReadonlySet<string>): Map<string | null, R[]> {
  const groups = new Map<string | null, R[]>();
  for (const row of rows) {
    const parent = row.parentId !== null && known.has(row.parentId) ? row.parentId : null;
    const group = groups.get(parent);
    if (group) group.push(row);
    else groups.set(parent, [row]);
  }
  return groups;
}

/** For each event, the latest leaf below it. Rows must be in the order of the log. */
function latestLeaves(rows: readonly TreeRow[]): Map<string, string> {
  const latest = new Map<string, string>();
  const parents = new Map(rows.map(({ id, parentId }) => [id, parentId]));
  const inner = new Set(rows.map(({ parentId }) => parentId));
  for (const { id } of [...rows].reverse()) {
    if (inner.has(id)) continue;
    for (let at: string | null | undefined = id; at && !latest.has(at); at = parents.get(at)) latest.set(at, id);
  }
  return latest;
}
