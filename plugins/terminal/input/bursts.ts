/** Tells what is typed from what is pasted into a terminal, or a program in between, that does not mark pastes. */

/** Milliseconds after a paste in which a line end belongs to it: reads of one paste follow each other so closely. */
export const AFTER_PASTE_MS = 5;
/**
 * Milliseconds after which a paste without marks is given whole. Long ones come in many reads, between which a busy program or a
 * connection makes pauses.
 */
const PAUSE_MS = 30;
const LONG_PAUSE_MS = 150;
const LONG = 1_000;
const LINE_END = /^[\r\n]$/;
/** Answers and reports of the terminal, which may come at any time. */
const REPORTS = ["\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1b[?", "\x1b[<", "\x1b[M"];

/**
 * Whether keys that came in one read are a paste: text stands behind a line end. One line with its end may have been typed by a
 * program, and so may line ends alone. Right behind a paste, a line end with or without text is more of it.
 */
export function isPasted(keys: readonly string[], isBehindPaste: boolean): boolean {
  const end = keys.findIndex((key) => LINE_END.test(key));
  return end >= 0 && (isBehindPaste || keys.slice(end + 1).some(isText));
}

/** Whether keys of a later read go on with a paste. Line ends alone do only right behind it: later, somebody presses Enter. */
export function isMoreOfPaste(keys: readonly string[], msAfter: number): boolean {
  return keys.some(isText) || (msAfter < AFTER_PASTE_MS && keys.some((key) => LINE_END.test(key)));
}

/** Milliseconds to wait for more of a paste that has so many characters so far. */
export function pauseAfter(characters: number): number {
  return characters < LONG ? PAUSE_MS : LONG_PAUSE_MS;
}

/** The text of such keys, and the reports that came with it. Other sequences belong to what was pasted, and mean nothing. */
export function taken(keys: readonly string[]): { text: string; reports: string[] } {
  return {
    text: keys.filter((key) => !key.startsWith("\x1b")).join(""),
    reports: keys.filter((key) => REPORTS.some((begin) => key.startsWith(begin))),
  };
}

function isText(key: string): boolean {
  return !/^[\p{Cc}]/u.test(key);
}
