import type { Effort } from "./effort.ts";
import type { Node, SpanRole } from "./node.ts";

/** A run of `*`, `_` or `~`, which may begin emphasis, end it, or both. */
export interface Delimiter {
  run: string;
  opens: boolean;
  closes: boolean;
  node: Node;
  /** Number of marks in the run that are not matched yet. */
  count: number;
}

const SPACE = /^\s?$/u;
const PLAIN = /^[\w ]$/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Reads the run of marks at index `at`. */
export function delimiterAt(text: string, at: number): Pick<Delimiter, "run" | "opens" | "closes"> {
  const mark = text[at] as string;
  let end = at;
  while (text[end] === mark) end++;
  const run = text.slice(at, end);
  const before = characterBefore(text, at);
  const after = String.fromCodePoint(text.codePointAt(end) ?? 0x20);
  const isLeft = !SPACE.test(after) && (!isPunctuation(after) || SPACE.test(before) || isPunctuation(before));
  const isRight = !SPACE.test(before) && (!isPunctuation(before) || SPACE.test(after) || isPunctuation(after));
  if (mark === "~" && run.length > 2) return { run, opens: false, closes: false };
  if (mark !== "_") return { run, opens: isLeft, closes: isRight };
  // Within a word, as in `snake_case`, `_` is an ordinary character.
  return {
    run,
    opens: isLeft && (!isRight || isPunctuation(before)),
    closes: isRight && (!isLeft || isPunctuation(after)),
  };
}

/** Matches the delimiters from index `bottom` on, and removes them from the list. Visits each of them a few times at most. */
export function closeEmphasis(delimiters: Delimiter[], bottom: number, effort: Effort): void {
  const open: Delimiter[] = [];
  /** For each kind of delimiter: the index in `open` below which nothing matches it. */
  const floors = new Map<string, number>();
  for (const closer of delimiters.splice(bottom)) {
    effort.spend(1);
    while (closer.closes && closer.count > 0) {
      const kind = kindOf(closer);
      const floor = Math.min(floors.get(kind) ?? 0, open.length);
      let at = open.length - 1;
      while (at >= floor && !match(open[at] as Delimiter, closer)) at--;
      effort.spend(open.length - at);
      if (at < floor) {
        floors.set(kind, open.length);
        break;
      }
      join(open[at] as Delimiter, closer);
      // Delimiters between the two are ordinary text, and so is the opener once all its marks are matched.
      open.length = (open[at] as Delimiter).count > 0 ? at + 1 : at;
      for (const [each, least] of floors) if (least > open.length) floors.set(each, open.length);
    }
    if (closer.opens && closer.count > 0) open.push(closer);
  }
}

function kindOf({ run, opens, count }: Delimiter): string {
  return `${run[0]}${run[0] === "~" ? count : run.length % 3}${opens}`;
}

/** Whether two runs match. If one may both open and close, their lengths must follow CommonMark's "multiple of 3" rule. */
function match(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.run[0] !== closer.run[0]) return false;
  if (closer.run[0] === "~") return opener.count === closer.count;
  const isBoth = opener.closes || closer.opens;
  const [one, other] = [opener.run.length, closer.run.length];
  return !isBoth || (one + other) % 3 !== 0 || (one % 3 === 0 && other % 3 === 0);
}

function join(opener: Delimiter, closer: Delimiter): void {
  const isStrike = closer.run[0] === "~";
  const count = isStrike ? closer.count : Math.min(opener.count, closer.count, 2);
  const role: SpanRole = isStrike ? "struck" : count === 2 ? "strong" : "emphasis";
  opener.count -= count;
  closer.count -= count;
  opener.node.begins.push(role);
  closer.node.ends.push(role);
  for (const { node, run, count: left } of [opener, closer]) {
    node.text = isStrike ? "~" : (run[0] as string).repeat(left);
    if (isStrike) node.roles = ["mark"];
  }
}

/** Whether a character is punctuation. Letters and spaces, the most frequent characters, are tested with a fast pattern first. */
function isPunctuation(character: string): boolean {
  return character === "_" || (!PLAIN.test(character) && PUNCTUATION.test(character));
}

function characterBefore(text: string, at: number): string {
  if (at === 0) return " ";
  const code = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && at > 1 ? text.slice(at - 2, at) : (text[at - 1] as string);
}
