import { setImmediate } from "node:timers/promises";
import type { OperationContext, Operations } from "@scorel/host/contract";
import type { EventId, Session, StoredEvent, TreeView } from "@scorel/kernel";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import { sizeOf } from "@scorel/kit/values/size";
import type { TreeLeaf, TreePage, TreeRow } from "./contract.ts";
import { lineOf, messageIn, oneLine } from "./event-text.ts";
import { idLength, resolveEvent } from "./names.ts";
import { newestFirst } from "./newest-first.ts";
import { Points } from "./points.ts";

type Params = Operations["get_tree"]["params"];

const ROWS = 200;
/** The most characters of a tool's title that a row is made from. */
const LONGEST_TITLE = 1_000;
/** The most characters in the texts of a page's rows. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Rows after which other work of the host may run. */
const ROWS_AT_ONCE = 500;
/** Maximum number of branch points, of children of each, and of leaves listed. */
const TOLD = 200;

/** The operation `get_tree`. Throws HISTORY_EVENT_UNKNOWN and HISTORY_AMBIGUOUS for `before`. */
export function getTree(params: Params, { look }: OperationContext): Promise<TreePage> {
  return look(params.sessionId, ({ kernel: { session } }) => pageOf(session, params));
}

async function pageOf(session: Session, { show = "tree", limit = ROWS, before }: Params): Promise<TreePage> {
  const { tree, activeLeaf: leafId, id: sessionId } = session;
  const end = before === undefined ? undefined : tree.get(resolveEvent(tree, before, sessionId));
  const isActive = leafId === null ? () => false : tree.above(leafId);
  const points = new Points(tree);
  const rows: TreeRow[] = [];
  let [hasMore, characters] = [false, 0];
  // A page that is not the latest one begins in the middle of the conversation.
  const bottom = end && isActive(end.id) ? end.id : leafId;
  const events = show === "path" ? tree.ancestors(bottom ?? "") : newestFirst(tree, end?.seq);
  for (const event of wanted(events, tree, show, end)) {
    if (rows.length % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
    const row = rowOf(session, event, { isActive, points });
    characters += sizeOf(row);
    hasMore = rows.length === limit || (characters > MAX_CHARACTERS && rows.length > 0);
    if (hasMore) break;
    rows.push(row);
  }
  rows.reverse();
  const branchPoints = tree.branchPoints();
  const leaves = tree.leaves();
  return {
    sessionId,
    leafId,
    events: tree.size,
    idLength: idLength(tree, rows),
    rows,
    ...(hasMore && { before: (rows[0] as TreeRow).id }),
    branchPoints: branchPoints
      .slice(-TOLD)
      .map(({ id }) => ({ id, children: tree.children(id).slice(-TOLD).map(idOf) })),
    branchPointCount: branchPoints.length,
    leaves: leaves.slice(-TOLD).map((event) => leafOf(event, leafId)),
    leafCount: leaves.length,
  };
}

/** Yields the wanted events before `end`. Reads only as much of the log as is consumed. */
function* wanted(
  events: Iterable<StoredEvent>,
  tree: TreeView,
  show: NonNullable<Params["show"]>,
  end: StoredEvent | undefined,
): Generator<StoredEvent, undefined> {
  for (const event of events) {
    const isWanted = show === "all" || tree.isPath(event.id);
    if (isWanted && (end === undefined || event.seq < end.seq)) yield event;
  }
}

function rowOf(
  session: Session,
  event: StoredEvent,
  { isActive, points }: { isActive: (id: EventId) => boolean; points: Points },
): TreeRow {
  const { tree } = session;
  const { id, seq, ts } = event;
  const isPath = tree.isPath(id);
  let parent = tree.parent(id);
  while (parent && !tree.isPath(parent.id)) parent = tree.parent(parent.id);
  return {
    id,
    parentId: parent?.id ?? null,
    seq,
    ts,
    ...drawnLineOf(session, event),
    point: points.has(id),
    active: isActive(id),
    ...(!isPath && { beside: true as const }),
  };
}

/**
 * Returns a row's label and text. For a result, shows what was called, as its tool displays it, such as `Read
 * src/cart.js`.
 */
function drawnLineOf(session: Session, event: StoredEvent): { label: string; text: string } {
  const message = messageIn(event);
  if (message?.role !== "tool_result") return lineOf(event);
  const action = session.display(event);
  const label = oneLine(message.toolName);
  const title = action.display === "card" ? action.title.replace(`${label} `, "") : label;
  return title === label ? lineOf(event) : { label, text: oneLine(visibleBreaks(title.slice(0, LONGEST_TITLE))) };
}

function leafOf(event: StoredEvent, leafId: EventId | null): TreeLeaf {
  const { label, text } = lineOf(event);
  return { id: event.id, ts: event.ts, text: `${label}: ${text}`, active: event.id === leafId };
}

function idOf({ id }: StoredEvent): EventId {
  return id;
}
