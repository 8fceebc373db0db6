/** One alternative of a glob, after its braces were expanded. */
export interface Pattern {
  /** The literal folders at its start; "" if there are none. */
  base: string;
  /** The whole pattern as text, if it has no wildcards. */
  literal?: string;
  matches(name: string): boolean;
}

/** Any number of characters. */
const ANY = Symbol("*");
/** A character, a set of characters, or any number of characters. */
type Part = string | { test(letter: string): boolean } | typeof ANY;
type Segment = "**" | { parts: readonly Part[]; text?: string };

/** Alternatives beyond this number are not expanded, since nested braces multiply. */
const MOST_ALTERNATIVES = 64;

/**
 * Parses a glob: `*` and `?` within a name, `**` across folders, `[a-z]`, `[!x]`, `{a,b}`, and `\` to escape. Names that start
 * with a dot are not special. Matching is linear in both lengths even for hostile names, unlike a regular expression.
 */
export function readGlob(glob: string): Pattern[] {
  return alternatives(glob).map(patternOf);
}

function patternOf(glob: string): Pattern {
  const segments = glob.split("/").map(segmentOf);
  const plain = segments.findIndex((segment) => segment === "**" || segment.text === undefined);
  const texts = segments.map((segment) => (segment === "**" ? "" : (segment.text ?? "")));
  const known = plain < 0 ? texts : texts.slice(0, plain);
  return {
    base: known.join("/"),
    ...(plain < 0 && { literal: known.join("/") }),
    matches: (name) => matchesPath(segments, name.split("/")),
  };
}

/** Expands braces; escaped braces and braces around a single word stay literal. */
function alternatives(glob: string): string[] {
  let found = [glob];
  for (let round = 0; round < MOST_ALTERNATIVES; round++) {
    const next = found.flatMap((each) => expandFirst(each) ?? [each]);
    if (next.length > MOST_ALTERNATIVES || next.length === found.length) return found;
    found = next;
  }
  return found;
}

function expandFirst(glob: string): string[] | undefined {
  for (let open = 0; open < glob.length; open++) {
    if (glob[open] === "\\") open++;
    else if (glob[open] === "{") {
      const choices = choicesAt(glob, open);
      if (choices) return choices.words.map((word) => glob.slice(0, open) + word + glob.slice(choices.end));
    }
  }
  return undefined;
}

function choicesAt(glob: string, open: number): { words: string[]; end: number } | undefined {
  const words: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < glob.length; at++) {
    const letter = glob[at];
    if (letter === "\\") at++;
    else if (letter === "{") depth++;
    else if (letter === "," && depth === 1) {
      words.push(glob.slice(from, at));
      from = at + 1;
    } else if (letter === "}" && --depth === 0)
      return words.length === 0 ? undefined : { words: [...words, glob.slice(from, at)], end: at + 1 };
  }
  return undefined;
}

function segmentOf(text: string): Segment {
  if (text === "**") return "**";
  const letters = [...text];
  const parts: Part[] = [];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    const set = letter === "[" ? setAt(letters, at) : undefined;
    if (letter === "*") {
      if (parts.at(-1) !== ANY) parts.push(ANY);
    } else if (letter === "?") parts.push({ test: () => true });
    else if (set) {
      parts.push(set.part);
      at = set.end;
    } else if (letter === "\\" && at + 1 < letters.length) parts.push(letters[++at] as string);
    else parts.push(letter);
  }
  const plain = parts.filter((part) => typeof part === "string");
  return { parts, ...(plain.length === parts.length && { text: plain.join("") }) };
}

/** Parses the `[...]` that starts here; undefined if it has no end. */
function setAt(letters: readonly string[], open: number): { part: Part; end: number } | undefined {
  const inverted = ["!", "^"].includes(letters[open + 1] ?? "");
  const from = open + (inverted ? 2 : 1);
  // A bracket in first place is a literal.
  const end = letters.indexOf("]", from + 1);
  if (end < 0) return undefined;
  const ranges: [string, string][] = [];
  for (let at = from; at < end; at++) {
    const first = letters[at] as string;
    const isRange = letters[at + 1] === "-" && at + 2 < end;
    ranges.push([first, isRange ? (letters[at + 2] as string) : first]);
    if (isRange) at += 2;
  }
  const isIn = (letter: string) => ranges.some(([low, high]) => letter >= low && letter <= high);
  return { part: { test: (letter) => isIn(letter) !== inverted }, end };
}

function matchesPath(segments: readonly Segment[], names: readonly string[]): boolean {
  return isMatch(segments, names, (segment) => segment === "**", matchesName);
}

function matchesName(segment: Segment, name: string): boolean {
  if (segment === "**") return true;
  if (segment.text !== undefined) return segment.text === name;
  return isMatch(
    segment.parts,
    [...name],
    (part) => part === ANY,
    (part, letter) => (typeof part === "string" ? part === letter : typeof part === "object" && part.test(letter)),
  );
}

/** After a mismatch, only the last wildcard is extended: extending an earlier one could not help. */
function isMatch<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isAny: (part: P) => boolean,
  fits: (part: P, item: T) => boolean,
): boolean {
  let [at, item] = [0, 0];
  let any: { at: number; item: number } | undefined;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isAny(part)) any = { at: at++, item };
    else if (part !== undefined && fits(part, items[item] as T)) {
      at++;
      item++;
    } else if (any) {
      any.item++;
      [at, item] = [any.at + 1, any.item];
    } else return false;
  }
  while (at < pattern.length && isAny(pattern[at] as P)) at++;
  return at === pattern.length;
}
