/** What an event `queue_update` says: all waiting messages (`items`), or only what has changed. */
export interface QueueUpdate<T extends { id: string }> {
  items?: readonly T[] | undefined;
  added?: readonly T[] | undefined;
  changed?: readonly (Partial<T> & { id: string })[] | undefined;
  removed?: readonly string[] | undefined;
  /** Each of these follows the message `after`, or is the first. Those that are not named keep their order. */
  moved?: readonly { id: string; after: string | null }[] | undefined;
}

/** Returns the queue after an update. Ids that no message has are passed over, as after a damaged record. */
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
  /** Places what follows a message, then what follows that one. Each is placed once, whatever the update says. */
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
