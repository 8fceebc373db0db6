/** Turns pastes into text: removes control characters, and represents long pastes by marks. */

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
/** Lines from which on a paste is long. */
const LONG_LINES = 10;
const LONG_CHARACTERS = 1_000;
/** More pastes than a field can have. */
const MOST_PASTES = 1e9;
/** The form of a mark. pi-tui's editor treats it as one character. */
const MARK = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;
const ESC = String.fromCharCode(0x1b);
/** Control characters of a paste as tmux encodes them, as keys: `ESC[106;5u` or, in xterm's format, `ESC[27;5;106~` for a line feed. */
const LETTER = "(6[5-9]|[78]\\d|9\\d|1[01]\\d|12[0-2])";
const CONTROL_KEYS = new RegExp(`${ESC}\\[(?:${LETTER};5u|27;5;${LETTER}~)`, "g");
/** Sequences for colours and cursor movement, which are part of output that was copied with them. */
const SEQUENCES = new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]`, "g");
/** Control characters other than tabs and line ends. */
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

/** The texts of long pastes, keyed by the number in their mark. */
export type Pastes = ReadonlyMap<number, string>;

/** The text of a paste from the terminal's input; undefined if the input is a key. */
export function pastedText(data: string): string | undefined {
  return data.startsWith(BEGIN) && data.endsWith(END) ? data.slice(BEGIN.length, -END.length) : undefined;
}

/** Text with `\n` as its only line end, and without control characters and sequences, which a terminal would obey. */
export function cleanText(text: string): string {
  const decoded = text.replace(CONTROL_KEYS, (_, kitty, xterm) => String.fromCharCode(Number(kitty ?? xterm) & 0x1f));
  return decoded.replace(/\r\n?/g, "\n").replace(SEQUENCES, "").replace(CONTROLS, "");
}

/** Whether a paste is shown as a mark. */
export function isLong(text: string): boolean {
  return text.length > LONG_CHARACTERS || linesOf(text) > LONG_LINES;
}

/** The number of lines of a string. A line end at its end does not begin another line. */
function linesOf(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

/** The mark of a paste, such as `[paste #1 +120 lines]`. */
export function markOf(number: number, text: string): string {
  const lines = linesOf(text);
  return lines > LONG_LINES ? `[paste #${number} +${lines} lines]` : `[paste #${number} ${text.length} chars]`;
}

/** The marks in text that stand for one of these pastes, with their offsets. */
export function marksIn(text: string, pastes: Pastes): { at: number; mark: string; number: number }[] {
  return Array.from(text.matchAll(MARK), ({ index, 0: mark, 1: number }) => ({
    at: index,
    mark,
    number: Number(number),
  })).filter(({ number }) => pastes.has(number));
}

/** Text with its marks replaced by the pastes. A mark within a paste stays as it is. */
export function written(text: string, pastes: Pastes): string {
  return text.replace(MARK, (mark, number) => pastes.get(Number(number)) ?? mark);
}

/** A number for a new paste that is larger than those of all known pastes and all marks in the text. Marks beyond any real number do not count. */
export function freeNumber(text: string, pastes: Pastes): number {
  let highest = 0;
  for (const { 1: digits } of text.matchAll(MARK)) {
    const number = Number(digits);
    if (number <= MOST_PASTES) highest = Math.max(highest, number);
  }
  for (const number of pastes.keys()) highest = Math.max(highest, number);
  return highest + 1;
}

/** Text with each mark of a known paste replaced. */
export function withoutMarks(text: string, pastes: Pastes, replaced: (mark: string) => string): string {
  const by = new Map(marksIn(text, pastes).map(({ mark }) => [mark, ""]));
  for (const mark of by.keys()) by.set(mark, replaced(mark));
  return text.replace(MARK, (mark) => by.get(mark) ?? mark);
}

/** Whether text contains anything in the form of a mark. */
export function looksMarked(text: string): boolean {
  return text.search(MARK) >= 0;
}
