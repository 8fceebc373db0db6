import { type Entry, type Query, scoreOf } from "./ranking.ts";

interface Scored {
  entry: Entry;
  score: number;
}

/**
 * Returns the best matches for a query, at most `limit`. `hides` is called only for entries that would be among them, since it costs more
 * than comparing.
 */
export function bestOf(
  entries: readonly Entry[],
  query: Query,
  limit: number,
  hides: (path: string) => boolean,
): Entry[] {
  const best: Scored[] = [];
  for (const entry of entries) {
    const score = query.terms.length === 0 ? topScore(entry) : scoreOf(query, entry);
    if (score < 0) continue;
    const last = best[best.length - 1];
    if (best.length >= limit && last && score <= last.score) continue;
    if (hides(entry.path)) continue;
    insert(best, { entry, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ entry }) => entry);
}

/** The score without a query: entries at the top first, and hidden files last. */
function topScore({ path }: Entry): number {
  const depth = path.split("/").length - (path.endsWith("/") ? 1 : 0);
  return 1_000 - depth * 10 - (path.startsWith(".") ? 5 : 0);
}

/** Inserts an entry in the order of scores. Entries with equal scores keep their order. */
function insert(best: Scored[], scored: Scored): void {
  let at = best.length;
  while (at > 0 && (best[at - 1] as Scored).score < scored.score) at--;
  best.splice(at, 0, scored);
}
