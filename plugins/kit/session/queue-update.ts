/** The payload of an event `queue_update`: all waiting messages (`items`), or only the changes. */
export interface QueueUpdate<T extends { id: string }> {
  items?: readonly T[] | undefined;
  added?: readonly T[] | undefined;
  changed?: readonly (Partial<T> & { id: string })[] | undefined;
  removed?: readonly string[] | undefined;
  /** New places: each message follows the message `after`, or is the first if that is null. Messages not listed keep their order. */
  moved?: readonly { id: string; after: string | null }[] | undefined;
}

/** Returns the queue after an update. Unknown ids are ignored; they can occur after a damaged record. */
export function updatedQueue<T extends { id: string }>(queue: readonly T[], update: QueueUpdate<T>): readonly T[] {
  const { items, added = [], changed = [], removed = [], moved = [] } = update;
  if (items) return items;
  const gone = new Set([...removed, ...added.map(({ id }) => id)]);
  const changes = new Map(changed.map((change) => [change.id, change]));
  const left = queue.flatMap((item) => (gone.has(item.id) ? [] : { ...item, ...changes.get(item.id) }));
  return [...(moved.length > 0 ? inOrder(left, moved) : left), ...added];
}

function inOrder<T extends { id: string }>(queue: readonly T[], moved: NonNullable<QueueUpdate<T>["moved"]>): T[] {
  const items = new Map(queue.map((item) => [item.id, item]));
  const moving = new Set(moved.flatMap(({ id }) => (items.has(id) ? id : [])));
  const followers = new Map(moved.map(({ id, after }) => [after, id]));
  const left = new Set(moving);
  const ordered: T[] = [];
  /**
   * Places the message that follows `id`, then the one that follows that, and so on. Each is placed once, even if the update is circular.
   */
  const placeAfter = (id: string | null) => {
    for (let at = id, next = followers.get(at); next !== undefined; at = next, next = followers.get(at)) {
      followers.delete(at);
      if (left.delete(next)) ordered.push(items.get(next) as T);
    }
  };
  placeAfter(null);
  for (const item of queue) {
    if (moving.has(item.id)) continue;
    ordered.push(item);
    placeAfter(item.id);
  }
  return [...ordered, ...[...left].map((id) => items.get(id) as T)];
}
