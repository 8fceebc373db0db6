/** A path with values for comparisons, which are computed once. */
export interface Entry {
  readonly path: string;
  readonly lower: string;
  /** The index in the path where its last name begins. */
  readonly base: number;
  /** A bit mask of the characters that occur in the path. */
  readonly mask: number;
}

/** Creates an entry. The final slash of a folder is ignored, since users do not type it. */
export function entryOf(path: string): Entry {
  const lowered = path.toLowerCase();
  // Both strings must have the same positions; lower case changes the length of a few letters of other scripts.
  const lower = lowered.length === path.length ? lowered : path;
  return { path, lower, base: lower.lastIndexOf("/", path.length - 2) + 1, mask: maskOf(lower) };
}

/** The bit mask of a string: a bit for each letter and digit; all other characters share the last bit. */
function maskOf(text: string): number {
  let mask = 0;
  for (let at = 0; at < text.length; at++) mask |= bitOf(text.charCodeAt(at));
  return mask;
}

function bitOf(code: number): number {
  if (code >= 97 && code <= 122) return 1 << (code - 97);
  if (code >= 48 && code <= 57) return 1 << (26 + ((code - 48) >> 2));
  return code > 127 ? 1 << 29 : 0;
}

export interface Query {
  /** The words of the query, each of which must match. */
  readonly terms: readonly string[];
  readonly mask: number;
}

/** Parses a query. Its words match in any order. */
export function queryOf(text: string): Query {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  return { terms, mask: maskOf(terms.join("")) };
}

/** The score of a path for a query: the higher the better; negative if it does not match. */
export function scoreOf({ terms, mask }: Query, entry: Entry): number {
  if ((entry.mask & mask) !== mask) return -1;
  let score = 0;
  for (const term of terms) {
    const one = scoreOfTerm(term, entry);
    if (one < 0) return -1;
    score += one;
  }
  // Of two equal scores, the shorter path is better.
  return score + 1 / (1 + entry.path.length);
}

const WHOLE = 4_000;
const IN_NAME = 3_000;
const IN_PATH = 2_000;
const SPREAD = 1_000;
const AT_START = 400;
const AT_WORD = 200;

function scoreOfTerm(term: string, { lower, path, base }: Entry): number {
  const inName = lower.indexOf(term, base);
  if (inName >= 0) {
    const isWhole = inName === base && isEnd(lower, inName + term.length);
    return (isWhole ? WHOLE : IN_NAME) + startBonus(path, inName, base) - (lower.length - base);
  }
  const inPath = lower.indexOf(term);
  if (inPath >= 0) return IN_PATH + startBonus(path, inPath, base) - (base - inPath) / 10;
  const gaps = Math.min(gapsIn(term, lower, base), SPREAD - 1);
  if (gaps >= 0) return SPREAD + AT_WORD - gaps;
  const all = gapsIn(term, lower, 0);
  return all < 0 ? -1 : Math.max(1, SPREAD - all);
}

/** Whether a name ends at an index: at the end of the path, at the end of a folder, or before the last extension. */
function isEnd(lower: string, at: number): boolean {
  return at === lower.length || lower[at] === "/" || (lower[at] === "." && lower.indexOf(".", at + 1) < 0);
}

function startBonus(path: string, at: number, base: number): number {
  if (at === base) return AT_START;
  const before = path.charCodeAt(at - 1);
  const isWord = at === 0 || "/-_. ".includes(path[at - 1] as string);
  // `B` in `fooBar`.
  const isHump = before >= 97 && before <= 122 && path.charCodeAt(at) >= 65 && path.charCodeAt(at) <= 90;
  return isWord || isHump ? AT_WORD : 0;
}

/** The number of characters between those of the term, which are searched in order from `from` on; -1 if they do not all occur. */
function gapsIn(term: string, lower: string, from: number): number {
  let at = lower.indexOf(term[0] as string, from);
  if (at < 0) return -1;
  let gaps = 0;
  for (let index = 1; index < term.length; index++) {
    const next = lower.indexOf(term[index] as string, at + 1);
    if (next < 0) return -1;
    gaps += next - at - 1;
    at = next;
  }
  return gaps;
}

/** The indices of the characters in a matching path that match the query. */
export function matchesIn({ terms }: Query, { lower, base }: Entry): number[] {
  const found = new Set<number>();
  for (const term of terms) {
    const whole = lower.indexOf(term, base) >= 0 ? lower.indexOf(term, base) : lower.indexOf(term);
    if (whole >= 0) for (let index = 0; index < term.length; index++) found.add(whole + index);
    else for (const at of spreadIn(term, lower, gapsIn(term, lower, base) >= 0 ? base : 0)) found.add(at);
  }
  return [...found].sort((a, b) => a - b);
}

function spreadIn(term: string, lower: string, from: number): number[] {
  const found: number[] = [];
  for (let at = from, index = 0; index < term.length; index++, at++) {
    at = lower.indexOf(term[index] as string, at);
    found.push(at);
  }
  return found;
}
