import { isGap, MANY } from "./gaps.ts";
import { Matcher, type State } from "./matcher.ts";

/** A text to match; of what is marked no wildcard takes any. */
export interface Marked {
  chars: readonly string[];
  marked: readonly boolean[];
}

/** A rule's pattern: `null` is a wildcard. */
export interface Pattern {
  steps: readonly (string | null)[];
  /** It ends in ` *`, so that the words before it alone fit too. */
  open: boolean;
  /** Compares it with texts as they are written, and with texts in lower case. */
  exact: Matcher;
  loose: Matcher;
}

const MAX_KEPT = 1_000;
const kept = new Map<string, Pattern>();

/** Takes a pattern apart: `*` is a wildcard, `\*` and `\\` are a star and a backslash. Patterns are kept, since rules are asked all the time. */
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
  const lower = steps.flatMap((step) => step?.toLowerCase().split("") ?? [null]);
  return { steps, open, exact: new Matcher(steps, open), loose: new Matcher(lower, open) };
}

/** Whether a pattern is the whole of a text: its letters take what is marked too, its wildcards do not. */
export function fitsStrictly({ exact }: Pattern, { chars, marked }: Marked): boolean {
  let state = exact.start;
  for (let at = 0; at < chars.length && !state.isEmpty; at++)
    state = exact.after(state, chars[at] as string, marked[at] ? "letters" : "all");
  return state.isEnd;
}

/** A command as text, in which parts may be unknown and options may be left out. */
export interface Text {
  /** In lower case; words have one blank between them. */
  chars: string;
  /** From the end of a word to the end of a later one, as if those between were not there. */
  jumps: Map<number, { to: number; sure: boolean }[]>;
  starts: readonly number[];
  /** It may begin at any word. */
  anywhere: boolean;
}

/**
 * Whether a pattern may be the whole of a text; case does not matter. A gap in the text may be anything. `isSure` asks for texts
 * that it fits whatever stands in the gaps.
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

/** Also where a word begins within an option or a path; what is unknown begins nothing. */
function isWordStart(chars: string, at: number): boolean {
  const char = chars[at];
  if (char === undefined || char === " " || isGap(char)) return false;
  const before = chars[at - 1] ?? " ";
  return !/[\w-]/.test(before) || (/\w/.test(before) && chars[at - 2] === "-" && (chars[at - 3] ?? " ") === " ");
}
