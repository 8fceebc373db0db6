/** The fields of a `get_tree` row that are used here. */
interface TreeRow {
  id: string;
  parentId: string | null;
  label: string;
  active: boolean;
  beside?: true;
}

/** A user's message in the tree of a session. */
export interface Branch<R> {
  row: R;
  /** The latest reply to the message, by which branches that begin with the same words differ. */
  reply?: R;
  /** Number of branch points above the message. */
  depth: number;
  /** The last event of the latest branch that contains the message. */
  leafId: string;
  active: boolean;
}

interface Step<R> {
  row: R;
  depth: number;
  /** The user's message above the row. */
  above: Branch<R> | undefined;
}

/**
 * The user's messages in the order of the tree. Where several branches continue a message, they follow one after the other, one level
 * deeper.
 */
export function branchesOf<R extends TreeRow>(rows: readonly R[]): Branch<R>[] {
  const path = rows.filter(({ beside }) => beside === undefined);
  const known = new Set(path.map(({ id }) => id));
  const children = childrenOf(path, known);
  const latest = latestLeaves(path);
  const found: Branch<R>[] = [];
  const stack: Step<R>[] = [...(children.get(null) ?? [])]
    .reverse()
    .map((row) => ({ row, depth: 0, above: undefined }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { row, depth } = next;
    const { id, active } = row;
    let { above } = next;
    if (row.label === "user") {
      above = { row, depth, active, leafId: latest.get(id) ?? id };
      found.push(above);
    } else if (row.label === "assistant" && above) above.reply = row;
    const after = children.get(id) ?? [];
    const step = after.length > 1 ? 1 : 0;
    for (const child of [...after].reverse()) stack.push({ row: child, depth: depth + step, above });
  }
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
