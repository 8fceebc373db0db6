import { fuzzyFilter } from "@mariozechner/pi-tui/dist/fuzzy.js";

/** The letters of a word that is left out in part may be spread over at most this many times its length. */
const SPREAD = 3;
/** Shorter words than this one have to be in the text: two letters can be found close together in nearly every text. */
const SHORTEST = 3;

/**
 * The items that match a search, the best first. Each word of the search has to be in the item's text, or its letters close together in this
 * order, as `gpt5` in `gpt-5.4`. Items that contain all words come first.
 */
export function matchingItems<Item>(items: readonly Item[], query: string, textOf: (item: Item) => string): Item[] {
  const words = query.trim().toLowerCase().split(/\s+/);
  const ranked = fuzzyFilter([...items], query, textOf).map((item) => ({ item, text: textOf(item).toLowerCase() }));
  const contains = ({ text }: { text: string }) => words.every((word) => text.includes(word));
  const isLike = ({ text }: { text: string }) => words.every((word) => text.includes(word) || isNear(text, word));
  const whole = ranked.filter(contains);
  const partial = ranked.filter((found) => !contains(found) && isLike(found));
  return [...whole, ...partial].map(({ item }) => item);
}

/** Whether the letters of `word` are close together in a text, in this order. */
function isNear(text: string, word: string): boolean {
  if (word.length < SHORTEST) return false;
  for (let start = text.indexOf(word[0] ?? ""); start >= 0; start = text.indexOf(word[0] ?? "", start + 1)) {
    const end = start + SPREAD * word.length;
    let found = 0;
    for (let at = start; at < end && at < text.length && found < word.length; at++)
      if (text[at] === word[found]) found++;
    if (found === word.length) return true;
  }
  return false;
}
