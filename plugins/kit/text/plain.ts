/** Makes text safe to show in a terminal. Runs in browsers, too. */

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
/** Sequences that move the cursor or set colours, sequences that end in BEL or ESC \\ (titles, links), and short ones. */
const SEQUENCES = [`\\[[0-?]*[ -/]*[@-~]`, `\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`, "[ -~]"];
const CONTROLS = new RegExp(`${ESC}(?:${SEQUENCES.join("|")})|(?![\\n\\t])\\p{Cc}`, "gu");

/**
 * Characters that change the writing direction or are invisible: direction overrides, isolates and marks, separators of lines and
 * paragraphs, zero-width spaces, and tag characters outside of flags. Joiners are not included, since words of Persian and Hindi and
 * many emoji need them. Direction marks are included: they only move punctuation beside right-to-left words, which stay readable.
 */
const DECEIVING =
  /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0000}-\u{e007f}]/gu;

/**
 * Removes escape sequences and control characters from a text of a model or tool. Characters that would make the text look
 * different from what it says are escaped, as in `\u{202e}`.
 */
export function plainText(text: string): string {
  return text.replace(CONTROLS, "").replace(DECEIVING, written);
}

const written = (char: string) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

/**
 * Characters that are invisible or look like others: controls, unusual spaces, the blank braille pattern, and all that Unicode calls
 * default-ignorable, such as variation selectors, Hangul fillers and tags.
 */
const UNSEEN = /(?![\n\t ])[\p{Cc}\p{Z}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Combining marks after the first four on one character. No script needs more, and many of them would cover other lines. */
const TOO_MANY_MARKS = /(?<=[\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]/gu;
/** The variation selector that turns the character before it into an emoji or a keycap. After any other character it is invisible. */
const PICTURE_FORM = /(?<=\p{Extended_Pictographic})\ufe0f|(?<=[#*\d])\ufe0f(?=\u20e3)/gu;

/**
 * For text that a user is asked to accept: escapes every invisible or control character, as in `\u{1b}`, and combining marks after the
 * first four on a character.
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, written).replace(TOO_MANY_MARKS, written);
}

/** Whether a text has only visible characters. Emoji such as ⚠️ count as visible. */
export function isVisible(text: string): boolean {
  const shown = text.replace(PICTURE_FORM, "");
  return visibleText(shown) === shown;
}

/** The first eight combining marks on a character, and the further ones. */
const MARKS = /([\p{Mn}\p{Me}]{8})([\p{Mn}\p{Me}]+)/gu;
/** A fast test that most texts fail: nine consecutive characters that might be combining marks. */
const UNUSUAL_ROW = /[^\0-\u02ff]{9}/;

/**
 * Replaces the combining marks after the first eight on a character by their number, as in `(+1992)`, so that they cover no other lines.
 */
export function countedMarks(text: string): string {
  if (!UNUSUAL_ROW.test(text)) return text;
  return text.replace(MARKS, (_, first: string, more: string) => `${first}(+${[...more].length})`);
}

/** Same as `visibleText`, but also escapes line breaks and tabs, for a name within a line. */
export function visibleName(name: string): string {
  return visibleText(name).replace(/[\n\t]/g, written);
}

/**
 * Shows a path that a person is asked about on one line. Escapes everything that could be overlooked, including spaces at either end and
 * after other spaces, and also text that looks like an escape, so that two different paths never look the same.
 */
export function visiblePath(path: string): string {
  return visibleName(path.replace(/\\(?=u\{)/g, written)).replace(/^ | $|(?<= ) /g, written);
}
