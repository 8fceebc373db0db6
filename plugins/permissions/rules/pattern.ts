import { isGap, MANY } from "../shell/gaps.ts";
import { Matcher, type State } from "./matcher.ts";

/** Text to match, with marks on the characters that no wildcard covers. */
export interface Marked {
  chars: readonly string[];
  marked: readonly boolean[];
}

/** A rule's pattern, in which `null` is a wildcard. */
export interface Pattern {
  steps: readonly (string | null)[];
  /** Whether the pattern ends in ` *`, so that the words before it also match alone. */
  open: boolean;
  /** Two matchers: one for the characters of texts as written, one for the code units of texts without case. */
  exact: Matcher;
  loose: Matcher;
}

const MAX_KEPT = 1_000;
const kept = new Map<string, Pattern>();

/**
 * Parses a pattern: `*` is a wildcard, `\*` and `\\` are literal. Results are cached, since rules are checked for every call.
 */
export function parsePattern(text: string): Pattern {
  const known = kept.get(text);
  if (known) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const pattern = newPattern(text);
  kept.set(text, pattern);
  return pattern;
}

function newPattern(text: string): Pattern {
  const steps = [...text.matchAll(/\\([\\*])|([\s\S])/gu)].map(([, quoted, char]) =>
    quoted !== undefined ? quoted : char === "*" ? null : (char as string),
  );
  const open = steps.length > 1 && steps.at(-1) === null && steps.at(-2) === " ";
  const lower = steps.flatMap((step) => (step === null ? [null] : caseless(step).split("")));
  return { steps, open, exact: new Matcher(steps, open), loose: new Matcher(lower, open) };
}

/**
 * Text in which letters that differ only in case are the same, as for file systems that ignore case. Letter by letter, since the lower case
 * of a Greek sigma depends on the letters around it.
 */
export function caseless(text: string): string {
  return Array.from(text, (letter) => letter.toUpperCase().toLowerCase()).join("");
}

/** Whether a pattern matches a whole text as written. Its wildcards match any characters. */
export function fitsExactly({ exact }: Pattern, text: string): boolean {
  return exact.matches(text);
}

/** The same, ignoring case. */
export function fitsLoosely({ loose }: Pattern, text: string): boolean {
  return loose.matches(caseless(text).split(""));
}

/** Whether a pattern matches a whole text. Its letters may match marked characters, its wildcards may not. */
export function fitsStrictly({ exact }: Pattern, { chars, marked }: Marked): boolean {
  let state = exact.start;
  for (let at = 0; at < chars.length && !state.isEmpty; at++)
    state = exact.after(state, chars[at] as string, marked[at] ? "letters" : "all");
  return state.isEnd;
}

/** A command as one string, in which parts may be unknown and options may be skipped. */
export interface Text {
  /** Without case, with one blank between words. */
  chars: string;
  /** Options that may be skipped: from the end of a word to the end of a later one. */
  jumps: Map<number, { to: number; sure: boolean }[]>;
  starts: readonly number[];
  /** Whether the command may begin at any word. */
  anywhere: boolean;
}

/**
 * Whether a pattern may match a whole text, ignoring case. A gap may stand for anything; with `isSure`, the pattern must match
 * whatever the gaps contain.
 */
export function mayFit({ loose }: Pattern, { chars, jumps, starts, anywhere }: Text, isSure: boolean): boolean {
  const last = isSure ? 0 : Math.max(...starts);
  const beginnings = new Set(starts);
  const landed = new Map<number, State>();
  let state = loose.none;
  for (let at = 0; ; at++) {
    const char = chars[at] as string;
    const arrived = landed.get(at);
    if (arrived) state = loose.both(state, arrived);
    if (anywhere ? isWordStart(chars, at) : at <= last && beginnings.has(at)) state = loose.both(state, loose.start);
    if (!state.isEmpty)
      for (const { to, sure } of jumps.get(at) ?? [])
        if (sure || !isSure) landed.set(to, loose.both(landed.get(to) ?? loose.none, state));
    if (state.takesRest) return true;
    if (at === chars.length) return state.isEnd;
    if (arrived) landed.delete(at);
    if (state.isEmpty && landed.size === 0 && !anywhere && at >= last) return false;
    if (!state.isEmpty)
      state = loose.after(state, char, isSure || !isGap(char) ? "all" : char === MANY ? "gap" : "word");
  }
}

/** Whether a word begins here, also inside an option or a path. No word begins with a gap. */
function isWordStart(chars: string, at: number): boolean {
  const char = chars[at];
  if (char === undefined || char === " " || isGap(char)) return false;
  const before = chars[at - 1] ?? " ";
  return !/[\w-]/.test(before) || (/\w/.test(before) && chars[at - 2] === "-" && (chars[at - 3] ?? " ") === " ");
}
