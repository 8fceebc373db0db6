/** A part of a text. */
export interface Place {
  from: number;
  to: number;
}

/** Finds the first place in a text that begins at an index or after it. */
export type Finder = (text: string, from: number) => Place | undefined;

/** Up to this many values, searching for each by itself takes less time than looking at every character. */
const FEW = 8;
/** Number of characters by which values are looked up. No value may be shorter. */
const KEY_LENGTH = 8;
/** Number of characters of which `hash` keeps something: each is shifted by four of sixteen bits. */
const HASHED = 4;

/** The hash of the last HASHED characters, from that of those before. */
const hash = (before: number, code: number) => ((before << 4) ^ code) & 0xffff;

/** Creates finders that together find all values, which must be sorted, the longest first. */
export function findersOf(values: readonly string[]): Finder[] {
  return values.length > FEW ? [valuesFinder(values)] : values.map(valueFinder);
}

function valueFinder(value: string): Finder {
  return (text, from) => {
    const at = text.indexOf(value, from);
    return at < 0 ? undefined : { from: at, to: at + value.length };
  };
}

/**
 * Creates a finder for thousands of values, of those that begin at the same place the longest. It reads a text once: the hash of the last
 * characters rules out almost all places, and the beginning of a value almost all values. A pattern of alternatives would try each value at
 * each place.
 */
function valuesFinder(values: readonly string[]): Finder {
  const hashes = new Uint8Array(0x10000);
  const byKey = new Map<string, Candidates>();
  for (const value of values) {
    let hashed = 0;
    for (let at = 0; at < HASHED; at++) hashed = hash(hashed, value.charCodeAt(at));
    hashes[hashed] = 1;
    const key = value.slice(0, KEY_LENGTH);
    const candidates = byKey.get(key) ?? new Candidates();
    candidates.add(value);
    byKey.set(key, candidates);
  }
  return (text, from) => {
    let hashed = 0;
    for (let end = from; end < text.length; end++) {
      hashed = hash(hashed, text.charCodeAt(end));
      const at = end + 1 - HASHED;
      if (hashes[hashed] === 0 || at < from) continue;
      const length = byKey.get(text.slice(at, at + KEY_LENGTH))?.lengthAt(text, at);
      if (length !== undefined) return { from: at, to: at + length };
    }
    return undefined;
  };
}

/** Values that begin alike, by their length, so that many of one length cost no more than one. */
class Candidates {
  private readonly byLength = new Map<number, Set<string>>();
  private lengths: number[] = [];

  add(value: string): void {
    const { length } = value;
    const same = this.byLength.get(length) ?? new Set();
    same.add(value);
    this.byLength.set(length, same);
    this.lengths = [...this.byLength.keys()].sort((a, b) => b - a);
  }

  /** The length of the longest value that a text has at an index. */
  lengthAt(text: string, at: number): number | undefined {
    return this.lengths.find(
      (length) => at + length <= text.length && this.byLength.get(length)?.has(text.slice(at, at + length)),
    );
  }
}

/** Returns a function that tells whether the rest of a text from an index on is the start of a longer value. */
export function startsOf(values: readonly string[]): (text: string, at: number) => boolean {
  const first = new Set(values.map((value) => value[0]));
  // In the order of `<`, all values that begin with a text are next to each other, the first one where the text itself would be.
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return (text, at) => {
    if (!first.has(text[at])) return false;
    const rest = text.slice(at);
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as string) < rest) low = middle + 1;
      else high = middle;
    }
    const next = sorted[low] === rest ? sorted[low + 1] : sorted[low];
    return next?.startsWith(rest) === true;
  };
}
