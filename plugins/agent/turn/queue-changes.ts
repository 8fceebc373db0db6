import { isDeepStrictEqual } from "node:util";
import type { Events } from "@scorel/kernel";
import type { QueueItem } from "../contract.ts";

type Update = Events["queue_update"];

/** Returns the update from one queue to another: only the changes, or all messages if that is shorter. */
export function queueChanges(before: readonly QueueItem[], after: readonly QueueItem[]): Update {
  const former = new Map(before.map((item) => [item.id, item]));
  const kept = after.filter(({ id }) => former.has(id));
  const keptIds = new Set(kept.map(({ id }) => id));
  const lists = {
    removed: before.flatMap(({ id }) => (keptIds.has(id) ? [] : id)),
    changed: kept.flatMap((item) => changeOf(former.get(item.id) as QueueItem, item) ?? []),
    moved: movesTo(
      kept.map(({ id }) => id),
      before.flatMap(({ id }) => (keptIds.has(id) ? id : [])),
    ),
    added: after.filter(({ id }) => !former.has(id)),
  };
  const changes = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Update;
  const whole = { items: [...after] };
  return JSON.stringify(changes).length < JSON.stringify(whole).length ? changes : whole;
}

function changeOf(former: QueueItem, item: QueueItem): (Partial<QueueItem> & { id: string }) | undefined {
  const { mode, message, clientId } = item;
  const change = {
    id: item.id,
    ...(mode !== former.mode && { mode }),
    ...(clientId !== former.clientId && { clientId }),
    ...(!isDeepStrictEqual(message, former.message) && { message }),
  };
  return Object.keys(change).length > 1 ? change : undefined;
}

/** The smallest set of moves that leads to the new order. */
function movesTo(order: readonly string[], before: readonly string[]): { id: string; after: string | null }[] {
  const places = new Map(before.map((id, place) => [id, place]));
  const staying = longestRising(order.map((id) => places.get(id) as number));
  return order.flatMap((id, index) => (staying.has(index) ? [] : { id, after: order[index - 1] ?? null }));
}

/** The indices of a longest increasing subsequence in a list of distinct numbers. */
function longestRising(numbers: readonly number[]): Set<number> {
  /** For each length minus 1: the index of the smallest number that ends an increasing subsequence of that length. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    previous.push(ends[low - 1]);
    ends[low] = index;
  }
  const rising = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) rising.add(at);
  return rising;
}
