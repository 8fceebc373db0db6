import type { OperationContext, Operations } from "@scorel/host/contract";
import type { EventId, Session, StoredEvent, TreeView } from "@scorel/kernel";
import { backwards } from "./backwards.ts";
import type { TreeLeaf, TreePage, TreeRow } from "./contract.ts";
import { idLength, resolveEvent } from "./names.ts";
import { isPoint, type Lookup } from "./points.ts";
import { lineOf, messageIn, oneLine } from "./said.ts";

type Params = Operations["get_tree"]["params"];

const ROWS = 200;
/** So many branch points and leaves are told; the rows show the rest. */
const TOLD = 200;

export function getTree(params: Params, { look }: OperationContext): Promise<TreePage> {
  return look(params.sessionId, ({ kernel: { session } }) => pageOf(session, params));
}

function pageOf(session: Session, { show = "tree", limit = ROWS, before }: Params): TreePage {
  const { tree, activeLeaf: leafId, id: sessionId } = session;
  const end = before === undefined ? undefined : tree.get(resolveEvent(tree, before, sessionId));
  // One more than is shown tells whether there are more.
  const found = latest(session, show, limit + 1, end);
  const shown = found.slice(-limit);
  const lookup = remembering(tree, shown);
  const isActive = leafId === null ? () => false : tree.above(leafId);
  const branchPoints = tree.branchPoints();
  const leaves = tree.leaves();
  return {
    sessionId,
    leafId,
    events: tree.size,
    idLength: idLength(tree, shown),
    rows: shown.map((event) => rowOf(session, event, lookup, isActive)),
    ...(found.length > limit && { before: (shown[0] as StoredEvent).id }),
    branchPoints: branchPoints.slice(-TOLD).map(({ id }) => ({ id, children: tree.children(id).map(idOf) })),
    branchPointCount: branchPoints.length,
    leaves: leaves.slice(-TOLD).map((event) => leafOf(event, leafId)),
    leafCount: leaves.length,
  };
}

/** The latest events of a kind before `end`, in their order; no more of the log is read than it takes. */
function latest(
  { tree, activeLeaf }: Session,
  show: NonNullable<Params["show"]>,
  count: number,
  end: StoredEvent | undefined,
): StoredEvent[] {
  const found: StoredEvent[] = [];
  const events = show === "path" ? tree.ancestors(activeLeaf ?? "") : backwards(tree, end?.seq);
  for (const event of events) {
    if (found.length === count) break;
    const isWanted = show === "all" || tree.isPath(event.id);
    if (isWanted && (end === undefined || event.seq < end.seq)) found.push(event);
  }
  return found.reverse();
}

/** A tree that asks the log for no event twice that was read already. */
function remembering(tree: TreeView, read: readonly StoredEvent[]): Lookup {
  const known = new Map(read.map((event) => [event.id, event]));
  return {
    get: (id) => known.get(id) ?? tree.get(id),
    parent: (id) => known.get(known.get(id)?.parentId ?? "") ?? tree.parent(id),
    isPath: (id) => tree.isPath(id),
  };
}

function rowOf(session: Session, event: StoredEvent, lookup: Lookup, isActive: (id: EventId) => boolean): TreeRow {
  const { id, seq, ts } = event;
  let parent = lookup.parent(id);
  while (parent && !lookup.isPath(parent.id)) parent = lookup.parent(parent.id);
  return {
    id,
    parentId: parent?.id ?? null,
    seq,
    ts,
    ...drawnLineOf(session, event),
    point: isPoint(lookup, id),
    active: isActive(id),
    ...(!lookup.isPath(id) && { beside: true as const }),
  };
}

/** A result is best told by what was called, as its tool draws it: `Read src/cart.js`. */
function drawnLineOf(session: Session, event: StoredEvent): { label: string; text: string } {
  const line = lineOf(event);
  if (messageIn(event)?.role !== "tool_result") return line;
  const action = session.display(event);
  const title = action.display === "card" ? action.title.replace(`${line.label} `, "") : line.label;
  return title === line.label ? line : { label: line.label, text: oneLine(title) };
}

function leafOf(event: StoredEvent, leafId: EventId | null): TreeLeaf {
  const { label, text } = lineOf(event);
  return { id: event.id, ts: event.ts, text: `${label}: ${text}`, active: event.id === leafId };
}

function idOf({ id }: StoredEvent): EventId {
  return id;
}
