/** The three numbers of a version. A suffix such as `-beta.1` is ignored. */
export type Version = readonly [number, number, number];

/** Whether a version is in the range. */
export type Range = (version: Version) => boolean;

/**
 * Parses a version range of npm: `>=1.2 <2`, `^1.2.3`, `~1.2`, `1.x`, `*`, and several of them joined by `||`. Returns undefined
 * for any other text.
 */
export function parseRange(text: string): Range | undefined {
  const alternatives = text.split("||").map((part) => parseAll(part.trim()));
  if (alternatives.some((range) => range === undefined)) return undefined;
  return (version) => alternatives.some((range) => range?.(version));
}

/** The version at the start of a text; undefined when there is none. */
export function parseVersion(text: string): Version | undefined {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return numbers.length === 3 ? (numbers.map(Number) as unknown as Version) : undefined;
}

function parseAll(text: string): Range | undefined {
  if (text === "") return undefined;
  const ranges = text
    .replaceAll(/([<>=~^])\s+/g, "$1")
    .split(/\s+/)
    .map(parseOne);
  return ranges.some((range) => range === undefined)
    ? undefined
    : (version) => ranges.every((range) => range?.(version));
}

function parseOne(text: string): Range | undefined {
  const match = /^(>=|<=|>|<|=|\^|~|)v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?$/i.exec(text);
  if (!match) return undefined;
  const [, sign = "", ...parts] = match;
  const wild = parts.findIndex((part) => part === undefined || /[x*]/i.test(part));
  const known = parts.slice(0, wild < 0 ? 3 : wild).map(Number);
  if (known.length === 0) return sign === "" || sign === ">=" ? () => true : undefined;
  const { from = [0, 0, 0], end } = boundsOf(sign, known);
  return (version) => compare(version, from) >= 0 && (end === undefined || compare(version, end) < 0);
}

/** The first version of a range (inclusive) and its end (exclusive). */
function boundsOf(sign: string, known: readonly number[]): { from?: Version; end?: Version } {
  const last = known.length - 1;
  const from = whole(known);
  if (sign === ">=") return { from };
  if (sign === ">") return { from: nextAt(known, last) };
  if (sign === "<") return { end: from };
  if (sign === "<=") return { end: nextAt(known, last) };
  return { from, end: nextAt(known, stepOf(sign, known)) };
}

/** The index of the version number that must not increase. */
function stepOf(sign: string, known: readonly number[]): number {
  const last = known.length - 1;
  if (sign === "~") return Math.min(1, last);
  const first = known.findIndex((part) => part > 0);
  return sign === "^" && first >= 0 ? first : last;
}

function nextAt(known: readonly number[], place: number): Version {
  return whole(known.slice(0, place + 1).map((part, index) => (index === place ? part + 1 : part)));
}

function whole([major = 0, minor = 0, patch = 0]: readonly number[]): Version {
  return [major, minor, patch];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
