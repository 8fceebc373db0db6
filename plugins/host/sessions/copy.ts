import type {
  EventDefinition,
  EventId,
  Kernel,
  KernelEntry,
  Session,
  SessionHeader,
  StoredEvent,
  TreeView,
} from "@scorel/kernel";
import { Ledger, type Opened, type Store } from "@scorel/kernel/store";
import { errors } from "../errors.ts";

/** Which side events of each type are copied; types that are not in it have none. */
export type Copied = ReadonlyMap<string, NonNullable<EventDefinition["copied"]>>;

/** Collects which side events the plugins of a session want to be copied. The first plugin that declares a type wins. */
export function copiedIn(entries: readonly KernelEntry[]): Copied {
  const copied = new Map<string, NonNullable<EventDefinition["copied"]>>();
  const known = new Set<string>();
  for (const { plugin } of entries)
    for (const [type, definition] of Object.entries(plugin.events ?? {})) {
      if (!known.has(type) && !definition.transient && definition.copied) copied.set(type, definition.copied);
      known.add(type);
    }
  return copied;
}

/**
 * Copies the path from a session's root to `eventId` as the start of a new session with the same settings and
 * instructions. Throws HOST_CLONE_EMPTY.
 */
export function copyOf(
  { tree, header: from }: Session,
  header: SessionHeader,
  eventId: EventId | null,
  copied: Copied,
): { header: SessionHeader & { meta: { cwd: string } }; history: StoredEvent[] } {
  const { deviceId, sessionId } = from;
  if (eventId === null) throw errors.HOST_CLONE_EMPTY({ sessionId });
  const way = tree.path(eventId);
  const parents = parentsOn(way);
  const history = belonging(tree, way, parents, copied).map((event, index) => {
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
function belonging(
  tree: TreeView,
  way: readonly StoredEvent[],
  parents: ReadonlyMap<EventId, unknown>,
  copied: Copied,
): StoredEvent[] {
  const others = [...copied].flatMap(([type, which]) => {
    const events = [...tree.ofType(type)].filter((event) => !isFiling(event));
    if (which === "latest") return events.slice(-1);
    return which === "all" ? events : events.filter(({ parentId }) => parentId === null || parents.has(parentId));
  });
  const all = new Map([...way, ...others].map((event) => [event.id, event]));
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}

/** Whether an event only archives the session or takes it back. Such events are not copied, since they are about the original. */
function isFiling({ type, changes }: StoredEvent & { changes?: object }): boolean {
  return type === "session_info" && Object.keys(changes ?? {}).join() === "archived";
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
