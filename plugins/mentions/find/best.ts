import { type Entry, type Query, scoreOf } from "./ranking.ts";

interface Scored {
  entry: Entry;
  score: number;
}

/**
 * Returns the entries that fit a query best, at most `limit`. `hides` is asked only about those that would be among them, since asking
 * costs more than comparing.
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

/** Without a query: what is at the top first, and hidden files last. */
function topScore({ path }: Entry): number {
  const depth = path.split("/").length - (path.endsWith("/") ? 1 : 0);
  return 1_000 - depth * 10 - (path.startsWith(".") ? 5 : 0);
}

/** Equal ones keep their order. */
function insert(best: Scored[], scored: Scored): void {
  let at = best.length;
  while (at > 0 && (best[at - 1] as Scored).score < scored.score) at--;
  best.splice(at, 0, scored);
}
