import type { OperationContext, Operations } from "@scorel/host/contract";
import type { EventId, LogView, Session, StoredEvent, TreeView } from "@scorel/kernel";
import { eventIdFor } from "@scorel/kit/session/change-info";
import { assertSameRequest } from "@scorel/kit/session/message-id";
import { typedContent } from "@scorel/kit/session/typed";
import type {} from "@scorel/messages/contract";
import type { FilesRestored, Moved, Undone } from "./contract.ts";
import { errors } from "./errors.ts";
import { describeEvent, sentenceEnd, userMessageIn, wordsOf } from "./event-text.ts";
import { restoreFiles } from "./files.ts";
import { resolveEvent, targetOf } from "./names.ts";
import { requirePoint } from "./points.ts";
import { jumpOf, lastUserMessage, placeBefore, undoneLeaf } from "./undone.ts";

type Moving = "rewind" | "branch" | "undo" | "redo";
type Params<O extends Moving> = Operations[O]["params"];
type Answer<O extends Moving> = Promise<Operations[O]["result"]>;

/** Where to move; null for the start. */
type Destination = { type: "rewind"; to: EventId | null } | { type: "branch"; to: EventId };

/** The operation `rewind`. Throws HISTORY_ errors, and LOG_BUSY during a turn. */
export async function rewind(params: Params<"rewind">, context: OperationContext): Answer<"rewind"> {
  const move = await begin("rewind", params, context);
  const { session } = move;
  const done = findEarlier(move);
  if (done) return repeated("rewind", params, session, done, () => targetOf(session, params));
  const to = targetOf(session, params);
  const check = (view: LogView) => {
    expectLeaf(view, params.expectedLeafId);
    if (to !== null) requirePoint(view.tree, to);
  };
  return jumpWithFiles(move, { type: "rewind", to }, { params, context, check });
}

/** The operation `branch`. Throws HISTORY_ errors, and LOG_BUSY during a turn. */
export async function branch(params: Params<"branch">, context: OperationContext): Answer<"branch"> {
  const move = await begin("branch", params, context);
  const { session } = move;
  const target = () => resolveEvent(session.tree, params.leafEventId, session.id);
  const done = findEarlier(move);
  if (done) return repeated("branch", params, session, done, target);
  const to = target();
  return jump(move, { type: "branch", to }, (view) => {
    expectLeaf(view, params.expectedLeafId);
    requireLeaf(view.tree, to);
  });
}

/** The operation `undo`. Throws HISTORY_NO_UNDO and HISTORY_CONFLICT, and LOG_BUSY during a turn. */
export async function undo(params: Params<"undo">, context: OperationContext): Answer<"undo"> {
  const move = await begin("undo", params, context);
  const done = findEarlier(move);
  if (done) return undoneBy(move.session, done);
  const { session } = move;
  const { to, filesOf } = placeBefore(session);
  const check = (view: LogView) => expectLeaf(view, params.expectedLeafId);
  const { eventId, files } = await jumpWithFiles(move, { type: "rewind", to }, { params, context, check, filesOf });
  return { ...undoneBy(session, session.tree.get(eventId) as StoredEvent), ...(files && { files }) };
}

/** The operation `redo`. Throws HISTORY_NO_REDO and HISTORY_CONFLICT, and LOG_BUSY during a turn. */
export async function redo(params: Params<"redo">, context: OperationContext): Answer<"redo"> {
  const move = await begin("redo", params, context);
  const done = findEarlier(move);
  if (done) return moved(move.session, done);
  const { session } = move;
  const to = undoneLeaf(session);
  const type = session.tree.children(to).length === 0 ? "branch" : "rewind";
  const check = (view: LogView) => expectLeaf(view, params.expectedLeafId);
  return jumpWithFiles(move, { type, to }, { params, context, check });
}

interface Jumping {
  params: Params<"undo">;
  context: OperationContext;
  check(view: LogView): void;
  /** The event whose files are restored, null for the start; default: the destination. */
  filesOf?: EventId | null;
}

/** Moves; with `files`, restores the files before. */
async function jumpWithFiles(
  move: Move,
  destination: Destination,
  { params, context, check, filesOf }: Jumping,
): Promise<Moved & { files?: FilesRestored }> {
  if (!params.files) return jump(move, destination, check);
  const { session } = move;
  const from = session.activeLeaf;
  // Checked twice: files are restored only if the move is possible, and the leaf moves only if it is still the same
  // afterwards.
  check(session);
  const files = await restoreFiles(session, filesOf ?? destination.to, params.overwrite, context);
  return { ...(await jump(move, destination, (view) => expectLeaf(view, from))), files };
}

interface Move {
  session: Session;
  clientId: string;
  /** Id for the event, when the request has a `messageId`. */
  id: EventId | undefined;
}

async function begin(operation: Moving, params: Params<"undo">, context: OperationContext): Promise<Move> {
  const { session } = (await context.open(params.sessionId)).kernel;
  return { session, clientId: context.clientId, id: eventIdFor(operation, params.messageId) };
}

/** Finds the event of an earlier identical request. Must be called without an await before the append. */
function findEarlier({ session, id }: Move): StoredEvent | undefined {
  return id === undefined ? undefined : session.tree.get(id);
}

/**
 * The result of an earlier request with the same `messageId`. Throws MESSAGE_ID_REUSED if that request had another
 * destination.
 */
function repeated(
  operation: Moving,
  { messageId }: Params<"undo">,
  session: Session,
  done: StoredEvent,
  target: () => EventId | null,
): Moved {
  const result = moved(session, done);
  assertSameRequest(result.leafId === target(), { operation, messageId });
  return result;
}

/** Appends the event of a move. `check` runs in the same synchronous step, so that nothing can change in between. */
async function jump(
  { session, clientId, id }: Move,
  { type, to }: Destination,
  check: (view: LogView) => void,
): Promise<Moved> {
  const options = { clientId, check, ...(id !== undefined && { id }) };
  const mark =
    type === "rewind"
      ? await session.append("rewind", { targetEventId: to }, options)
      : await session.append("branch", { leafEventId: to }, options);
  return moved(session, session.tree.get(mark.id) as StoredEvent);
}

/** Throws HISTORY_CONFLICT when the active leaf is not `expected`, an id or its beginning. */
function expectLeaf({ activeLeaf: actual }: LogView, expected: EventId | null | undefined): void {
  if (expected === undefined || expected === actual) return;
  if (expected === null || expected === "" || !actual?.startsWith(expected))
    throw errors.HISTORY_CONFLICT({ expected, actual });
}

function requireLeaf(tree: TreeView, id: EventId): void {
  const isPath = tree.isPath(id);
  if (isPath && tree.children(id).length === 0) return;
  const ends = isPath ? leavesBelow(tree, id) : [];
  throw errors.HISTORY_NO_LEAF({
    eventId: describeEvent(tree.get(id) as StoredEvent),
    leaves: ends.map((end) => end.id),
    shown: ends.map(describeEvent),
  });
}

/** Returns up to five leaves of the branches through an event. */
function leavesBelow(tree: TreeView, id: EventId): StoredEvent[] {
  const found: StoredEvent[] = [];
  const open = [...tree.children(id)];
  for (let event = open.pop(); event && found.length < 5; event = open.pop()) {
    const children = tree.children(event.id);
    if (children.length === 0) found.push(event);
    else for (const child of children) open.push(child);
  }
  return found;
}

function moved({ tree }: Session, mark: StoredEvent): Moved {
  const { from, to } = jumpOf(mark) ?? { from: mark.parentId, to: mark.parentId };
  const at = to === null ? undefined : tree.get(to);
  const text = at ? `The conversation now ends with ${sentenceEnd(at)}` : "The conversation is now at its start.";
  return { eventId: mark.id, fromLeafId: from, leafId: to, text };
}

function undoneBy(session: Session, mark: StoredEvent): Undone {
  const event = lastUserMessage(session.tree, mark.parentId) as StoredEvent;
  const message = userMessageIn(event) as NonNullable<ReturnType<typeof userMessageIn>>;
  return {
    ...moved(session, mark),
    message: { eventId: event.id, text: wordsOf(message), content: typedContent(message.content) },
  };
}
