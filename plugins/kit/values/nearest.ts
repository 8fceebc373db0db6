/**
 * The candidate that `word` was probably meant to be: at most a third of its letters differ. With `partly`, also the shortest
 * candidate that begins or ends with the word, or that the word begins or ends with, if at least 4 letters match.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  { partly = false }: { partly?: boolean } = {},
): string | undefined {
  const all = [...candidates];
  return mistyped(word, all) ?? (partly ? shared(word, all) : undefined);
}

function shared(word: string, candidates: readonly string[]): string | undefined {
  const within = (part: string, whole: string) => part.length >= 4 && (whole.startsWith(part) || whole.endsWith(part));
  const lower = word.toLowerCase();
  return candidates
    .filter((each) => within(lower, each.toLowerCase()) || within(each.toLowerCase(), lower))
    .sort((a, b) => Math.abs(a.length - word.length) - Math.abs(b.length - word.length))[0];
}

function mistyped(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference of the lengths. A word of a client or a model may have millions of letters.
    if (Math.abs(word.length - candidate.length) >= least) continue;
    const distance = editDistance(word, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The number of letters to insert, remove, replace or swap with a neighbour to turn one word into the other. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const costs = [at(rows, i - 1, j) + 1, at([row], 0, j - 1) + 1, at(rows, i - 1, j - 1) + (same ? 0 : 1)];
      row.push(Math.min(...costs, swapped ? at(rows, i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY));
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly number[][], row: number, column: number): number {
  return rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
}
