/** Makes text safe to show in a terminal. Runs in browsers too. */

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
/** Sequences that move the cursor or set colours, then those that end in BEL or ESC \\ (titles, links), then short ones. */
const SEQUENCES = [`\\[[0-?]*[ -/]*[@-~]`, `\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`, "[ -~]"];
const CONTROLS = new RegExp(`${ESC}(?:${SEQUENCES.join("|")})|(?![\\n\\t])\\p{Cc}`, "gu");

/**
 * Characters that reverse the writing direction or take no room: direction overrides and isolates, zero-width blanks, and tag
 * characters outside of flags. Joiners and the marks of right-to-left scripts are not among them: texts need those.
 */
const DECEIVING =
  /[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0000}-\u{e007f}]/gu;

/**
 * Text without the escape sequences and control characters that a model or a tool may have put there. Characters that would
 * make it look different from what it says are written out, as in `\u{202e}`.
 */
export function plainText(text: string): string {
  return text.replace(CONTROLS, "").replace(DECEIVING, written);
}

const written = (char: string) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

/** Characters that a person does not see or takes for others: of the blanks, all but the usual ones. */
const UNSEEN = /(?![\n\t ]|[\u{fe00}-\u{fe0f}])[\p{Cc}\p{Z}\p{Cf}\p{Co}\p{Cs}\p{DI}]/gu;

/** Text that somebody is asked to agree to: every character that a terminal would act on or hide is written out, as in `\u{1b}`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, written);
}
