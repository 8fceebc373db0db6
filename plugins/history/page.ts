import type { OperationContext, Operations } from "@scorel/host/contract";
import type { EventId, Session, StoredEvent, TreeView } from "@scorel/kernel";
import type { TreeLeaf, TreePage, TreeRow } from "./contract.ts";
import { errors } from "./errors.ts";
import { idLength, resolveEvent } from "./names.ts";
import { isPoint } from "./points.ts";
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
  const active = new Set(leafId === null ? [] : tree.path(leafId).map(({ id }) => id));
  const shown = eventsOf(session, show);
  const end = before === undefined ? shown.length : placeOf(shown, resolveEvent(tree, before, sessionId), sessionId);
  const start = Math.max(0, end - limit);
  const branchPoints = tree.branchPoints();
  const leaves = tree.leaves();
  return {
    sessionId,
    leafId,
    idLength: idLength(tree),
    total: shown.length,
    rows: shown.slice(start, end).map((event) => rowOf(session, event, active)),
    ...(start > 0 && { before: (shown[start] as StoredEvent).id }),
    branchPoints: branchPoints.slice(-TOLD).map(({ id }) => ({ id, children: tree.children(id).map(idOf) })),
    branchPointCount: branchPoints.length,
    leaves: leaves.slice(-TOLD).map((event) => leafOf(event, leafId)),
    leafCount: leaves.length,
  };
}

function eventsOf({ tree, activeLeaf }: Session, show: NonNullable<Params["show"]>): StoredEvent[] {
  if (show === "all") return [...tree];
  const events = show === "tree" ? [...tree] : activeLeaf === null ? [] : tree.path(activeLeaf);
  return events.filter(({ id }) => tree.isPath(id));
}

function placeOf(events: readonly StoredEvent[], id: EventId, sessionId: string): number {
  const place = events.findIndex((event) => event.id === id);
  if (place < 0) throw errors.HISTORY_EVENT_UNKNOWN({ eventId: id, sessionId });
  return place;
}

function rowOf(session: Session, event: StoredEvent, active: ReadonlySet<EventId>): TreeRow {
  const tree: TreeView = session.tree;
  const { id, seq, ts } = event;
  let parent = tree.parent(id);
  while (parent && !tree.isPath(parent.id)) parent = tree.parent(parent.id);
  return {
    id,
    parentId: parent?.id ?? null,
    seq,
    ts,
    ...drawnLineOf(session, event),
    point: isPoint(tree, id),
    active: active.has(id),
    ...(!tree.isPath(id) && { beside: true as const }),
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
