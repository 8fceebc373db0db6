import { isGap, MANY } from "./gaps.ts";

/** A text to match, character by character; of what is marked no wildcard takes any. */
export interface Marked {
  chars: readonly string[];
  marked: readonly boolean[];
}

/** A rule's pattern: `null` is a wildcard. */
export interface Pattern {
  steps: readonly (string | null)[];
  /** It ends in ` *`, so that the words before it alone fit too. */
  open: boolean;
}

/** Takes a pattern apart: `*` is a wildcard, `\*` and `\\` are a star and a backslash. */
export function parsePattern(text: string): Pattern {
  const steps = [...text.matchAll(/\\([\\*])|([\s\S])/gu)].map(([, quoted, char]) =>
    quoted !== undefined ? quoted : char === "*" ? null : (char as string),
  );
  return { steps, open: steps.length > 1 && steps.at(-1) === null && steps.at(-2) === " " };
}

/** Whether a pattern is the whole of a text: its letters take what is marked too, its wildcards do not. */
export function fitsStrictly({ steps, open }: Pattern, { chars, marked }: Marked): boolean {
  let live = closed([0], steps);
  for (let at = 0; at < chars.length; at++) {
    const next: number[] = [];
    for (const state of live) {
      if (steps[state] === null) {
        if (!marked[at]) next.push(state);
      } else if (steps[state] === chars[at]) next.push(state + 1);
    }
    if (next.length === 0) return false;
    live = closed(next, steps);
  }
  return live.includes(steps.length) || (open && live.includes(steps.length - 2));
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
export function mayFit({ steps, open }: Pattern, { chars, jumps, starts, anywhere }: Text, isSure: boolean): boolean {
  const lower = steps.flatMap((step) => step?.toLowerCase().split("") ?? [null]);
  const size = lower.length;
  const last = isSure ? 0 : Math.max(...starts);
  const landed = new Map<number, number[]>();
  let live: number[] = [];
  for (let at = 0; ; at++) {
    const char = chars[at] as string;
    const arrived = landed.get(at);
    if (arrived) live.push(...arrived);
    if (anywhere ? isWordStart(chars, at) : at <= last && starts.includes(at)) live.push(0);
    if (live.length > 0) {
      live = closed(live, lower);
      for (const { to, sure } of jumps.get(at) ?? [])
        if (sure || !isSure) landed.set(to, [...new Set([...(landed.get(to) ?? []), ...live])]);
    }
    if (lower[size - 1] === null && live.includes(size - 1)) return true;
    if (at === chars.length) return live.includes(size) || (open && live.includes(size - 2));
    if (live.length === 0 && landed.size === 0 && !anywhere && at >= last) return false;
    if (arrived) landed.delete(at);
    if (live.length > 0)
      live = !isSure && isGap(char) ? acrossGap(live, lower, char === MANY) : across(live, lower, char);
  }
}

/** The states that wildcards lead to without a character. */
function closed(live: readonly number[], steps: readonly (string | null)[]): number[] {
  const all = new Set(live);
  for (const state of all) if (steps[state] === null) all.add(state + 1);
  return [...all];
}

function across(live: readonly number[], steps: readonly (string | null)[], char: string): number[] {
  const next: number[] = [];
  for (const state of live) {
    if (steps[state] === null) next.push(state);
    else if (steps[state] === char) next.push(state + 1);
  }
  return next;
}

/** A gap takes any part of the pattern; one that stays within a word takes none with a blank. */
function acrossGap(live: readonly number[], steps: readonly (string | null)[], isMany: boolean): number[] {
  const all = new Set(live);
  for (const state of all) if (state < steps.length && (isMany || steps[state] !== " ")) all.add(state + 1);
  return [...all];
}

/** Also where a word begins within an option or a path; what is unknown begins nothing. */
function isWordStart(chars: string, at: number): boolean {
  const char = chars[at];
  if (char === undefined || char === " " || isGap(char)) return false;
  const before = chars[at - 1] ?? " ";
  return !/[\w-]/.test(before) || (/\w/.test(before) && chars[at - 2] === "-" && (chars[at - 3] ?? " ") === " ");
}
