import type { EventId, Opened, Session, SessionHeader, Store, StoredEvent } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Side events that belong to the conversation they hang at. What waits in a queue stays with the other session. */
const KEPT_SIDE = new Set(["session_info", "custom"]);

/** The way from a session's root to its active leaf, as the beginning of another session; throws HOST_CLONE_EMPTY. */
export function copyOf(
  session: Session,
  header: SessionHeader,
): { header: SessionHeader & { meta: { cwd: string } }; history: StoredEvent[] } {
  const { tree, activeLeaf: eventId, header: from } = session;
  if (eventId === null) throw errors.HOST_CLONE_EMPTY({ sessionId: from.sessionId });
  // Where damage has cut the way, the path knows the parent that was found instead.
  const parents = new Map<EventId, EventId | null>();
  tree.path(eventId).reduce<EventId | null>((parent, { id }) => {
    parents.set(id, parent);
    return id;
  }, null);
  const belongs = ({ id, type, parentId }: StoredEvent) =>
    parents.has(id) || (KEPT_SIDE.has(type) && (parentId === null || parents.has(parentId)));
  const { sessionId } = header;
  const history = [...tree].filter(belongs).map((event, index) => {
    const parentId = parents.has(event.id) ? (parents.get(event.id) as EventId | null) : event.parentId;
    return { ...event, parentId, sessionId, seq: index + 1 };
  });
  const clonedFrom = { deviceId: from.deviceId, sessionId: from.sessionId, eventId };
  return { header: { ...header, meta: from.meta as { cwd: string }, clonedFrom }, history };
}

/** A store that holds events from the start; they are written together with the first append. */
export function startingWith(history: readonly StoredEvent[], store: Store): Store {
  let waiting = history.map((event) => JSON.stringify(event));
  return {
    open(): Opened {
      const opened = store.open();
      return { ...opened, events: [...opened.events, ...history] };
    },
    append(records) {
      store.append([...waiting, ...records]);
      waiting = [];
    },
    sync: () => store.sync(),
    stage: (event) => store.stage?.(event),
    close: () => store.close(),
  };
}
