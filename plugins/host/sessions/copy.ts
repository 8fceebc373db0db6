import type { EventId, Kernel, Session, SessionHeader, StoredEvent, TreeView } from "@scorel/kernel";
import { Ledger, type Opened, type Store } from "@scorel/kernel/store";
import { errors } from "../errors.ts";

/**
 * Types of side events that are copied with the event they are attached to. Queued messages and questions are not
 * copied.
 */
const BESIDE = new Set(["custom"]);
/** Types of settings: side events that apply to the whole session, all of which are copied. */
const SETTINGS = new Set(["session_info", "skill_index", "skill_content"]);
/** The type of side event of which only the latest is copied. */
const INSTRUCTIONS = "instruction_snapshot";

/**
 * Copies the path from a session's root to `eventId` as the start of a new session with the same settings and
 * instructions. Throws HOST_CLONE_EMPTY.
 */
export function copyOf(
  { tree, header: from }: Session,
  header: SessionHeader,
  eventId: EventId | null,
): { header: SessionHeader & { meta: { cwd: string } }; history: StoredEvent[] } {
  const { deviceId, sessionId } = from;
  if (eventId === null) throw errors.HOST_CLONE_EMPTY({ sessionId });
  const way = tree.path(eventId);
  const parents = parentsOn(way);
  const history = belonging(tree, way, parents).map((event, index) => {
    const parentId = parents.get(event.id) ?? nearestOn(tree, event, parents);
    return { ...event, parentId, sessionId: header.sessionId, seq: index + 1 };
  });
  const clonedFrom = { deviceId, sessionId, eventId };
  // A copy has no parent, so it is listed like any session. It keeps the limits of a child.
  const { parent: _parent, kind: _kind, ...meta } = from.meta as { cwd: string; parent?: unknown; kind?: unknown };
  return { header: { ...header, meta, clonedFrom }, history };
}

/**
 * Maps each event of the path to its parent. Where the log is damaged, this is the parent that the tree found instead.
 */
function parentsOn(way: readonly StoredEvent[]): Map<EventId, EventId | null> {
  const parents = new Map<EventId, EventId | null>();
  way.reduce<EventId | null>((parent, { id }) => {
    parents.set(id, parent);
    return id;
  }, null);
  return parents;
}

/** Returns the path plus the side events that are copied with it. Reads no other events of the log. */
function belonging(tree: TreeView, way: readonly StoredEvent[], parents: ReadonlyMap<EventId, unknown>): StoredEvent[] {
  const beside = [...BESIDE].flatMap((type) =>
    [...tree.ofType(type)].filter(({ parentId }) => parentId === null || parents.has(parentId)),
  );
  const settings = [...SETTINGS].flatMap((type) => [...tree.ofType(type)]).filter((event) => !isFiling(event));
  const instructions = [...tree.ofType(INSTRUCTIONS)].slice(-1);
  const all = new Map([...way, ...beside, ...settings, ...instructions].map((event) => [event.id, event]));
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}

/** Whether an event only archives the session or takes it back. Such events are not copied, since they are about the original. */
function isFiling({ changes }: StoredEvent & { changes?: object }): boolean {
  return Object.keys(changes ?? {}).join() === "archived";
}

/** For a side event on another branch, returns the event where that branch left the path. */
function nearestOn(tree: TreeView, event: StoredEvent, way: ReadonlyMap<EventId, unknown>): EventId | null {
  for (let at = tree.parent(event.id); at; at = tree.parent(at.id)) if (way.has(at.id)) return at.id;
  return null;
}

/** Wraps a store so that it starts with `history`. Those events are written together with the first append. */
export function startingWith(history: readonly StoredEvent[], store: Store): Store {
  const records = history.map((event) => JSON.stringify(event));
  const given = history.map((event) => Object.freeze(event));
  let stored = false;
  return {
    open(onDamage): Opened {
      const opened = store.open(onDamage);
      const { read } = opened.ledger;
      return { ...opened, ledger: Ledger.of(history.length, (row) => given[row] ?? read(row)) };
    },
    append(added, events = []) {
      if (stored) store.append(added, events);
      else store.append([...records, ...added], [...given, ...events]);
      stored = true;
    },
    search: (text, first) => [
      ...records.flatMap((record, row) => (row >= first && record.includes(text) ? row : [])),
      ...store.search(text, Math.max(first, records.length)),
    ],
    keep: (image, replayed) => store.keep?.(image, replayed),
    sync: () => store.sync(),
    stage: (event) => store.stage?.(event),
    close: () => store.close(),
  };
}

/** Writes a store's initial events to disk now; stops the kernel if that fails. */
export async function writeNow(store: Store, kernel: Pick<Kernel, "stop">): Promise<void> {
  try {
    store.append([]);
    await store.sync();
  } catch (thrown) {
    await kernel.stop();
    throw thrown;
  }
}
