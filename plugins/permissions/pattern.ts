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
export function fitsStrictly(pattern: Pattern, text: Marked): boolean {
  const { chars, marked } = text;
  return run(
    pattern,
    chars,
    (at) => at === 0,
    (step, at) => (step === null ? !marked[at] : step === chars[at]),
  );
}

/** Whether a pattern fits a text to its end from one of its `starts`; case and marks do not matter. */
export function fitsLoosely(
  pattern: Pattern,
  text: string,
  isStart: (at: number) => boolean = (at) => at === 0,
): boolean {
  const steps = pattern.steps.flatMap((step) => (step === null ? [null] : lettersOf(step)));
  const chars = lettersOf(text);
  return run({ ...pattern, steps }, chars, isStart, (step, at) => step === null || step === chars[at]);
}

/** Places in the text are places in this list. */
function lettersOf(text: string): string[] {
  return text.split("").map((letter) => letter.toLowerCase());
}

/**
 * All ways at once, one pass over the text: a pattern with many wildcards takes no longer than one with few, whatever a
 * model writes to make it.
 */
function run(
  { steps, open }: Pattern,
  chars: readonly string[],
  isStart: (at: number) => boolean,
  takes: (step: string | null, at: number) => boolean,
): boolean {
  let [live, next] = [new Uint8Array(steps.length + 1), new Uint8Array(steps.length + 1)];
  for (let at = 0; ; at++) {
    if (isStart(at)) live[0] = 1;
    // A wildcard may also take nothing.
    for (let step = 0; step < steps.length; step++) if (live[step] && steps[step] === null) live[step + 1] = 1;
    if (at === chars.length) return Boolean(live[steps.length] || (open && live[steps.length - 2]));
    next.fill(0);
    for (let step = 0; step < steps.length; step++)
      if (live[step] && takes(steps[step] as string | null, at)) next[steps[step] === null ? step : step + 1] = 1;
    [live, next] = [next, live];
  }
}
