/**
 * Scores how well text matches; undefined if it does not. Each wanted word must be in the text: as a whole, or as letters in this order.
 */
function fitness(text: string, wanted: string): number | undefined {
  const whole = text.toLowerCase();
  let sum = 0;
  for (const word of wanted.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = wordFitness(whole, word);
    if (found === undefined) return undefined;
    sum += found;
  }
  // Of two equal matches, the shorter text is preferred.
  return sum - whole.length / 1_000;
}

/** The items that match, best first. All in their order if nothing is wanted. */
export function fitting<T>(items: readonly T[], wanted: string, textOf: (item: T) => string): T[] {
  if (wanted.trim() === "") return [...items];
  return items
    .flatMap((item) => {
      const fit = fitness(textOf(item), wanted);
      return fit === undefined ? [] : [{ item, fit }];
    })
    .sort((a, b) => b.fit - a.fit)
    .map(({ item }) => item);
}

function wordFitness(text: string, word: string): number | undefined {
  const at = text.indexOf(word);
  if (at >= 0) return isBegin(text, at) ? 3 : 2;
  return scattered(text, word);
}

/** Scores letters of a word that are in the text in this order, but not adjacent. Closer letters score higher. */
function scattered(text: string, word: string): number | undefined {
  let begin = -1;
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    if (begin < 0) begin = at;
  }
  const width = at - begin + 1;
  return width > word.length * 4 ? undefined : word.length / width;
}

function isBegin(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "");
}
