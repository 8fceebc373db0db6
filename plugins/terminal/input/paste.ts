/** How pastes become text: cleaned, and long ones as a mark that stands for them. */

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
/** A paste is long from here on. */
const LONG_LINES = 10;
const LONG_CHARACTERS = 1_000;
/** The form that the editor of pi-tui moves over and deletes as one character. */
const MARK = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;
const ESC = String.fromCharCode(0x1b);
/** Some terminals write the control characters of a paste as keys of the Kitty protocol: `ESC[106;5u` for a line feed. */
const CONTROL_KEYS = new RegExp(`${ESC}\\[(6[5-9]|[78]\\d|9\\d|1[01]\\d|12[0-2]);5u`, "g");
/** Colours and moves of the cursor, as in output that was copied with them. */
const SEQUENCES = new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]`, "g");
/** Control characters other than tabs and line ends. */
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

/** The texts of long pastes, by the number in their mark. */
export type Pastes = ReadonlyMap<number, string>;

/** The text of a paste as it arrives from the terminal; undefined for a key. */
export function pastedText(data: string): string | undefined {
  return data.startsWith(BEGIN) && data.endsWith(END) ? data.slice(BEGIN.length, -END.length) : undefined;
}

/** A text with one kind of line end, and without control characters and sequences, which a terminal would obey. */
export function cleanText(text: string): string {
  const decoded = text.replace(CONTROL_KEYS, (_, code) => String.fromCharCode(Number(code) & 0x1f));
  return decoded.replace(/\r\n?/g, "\n").replace(SEQUENCES, "").replace(CONTROLS, "");
}

/** Whether a paste is shown as a mark. */
export function isLong(text: string): boolean {
  return text.length > LONG_CHARACTERS || linesOf(text) > LONG_LINES;
}

/** How many lines a text has. The end of the last one begins no other. */
function linesOf(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

/** The mark of a paste, such as `[paste #1 +120 lines]`. */
export function markOf(number: number, text: string): string {
  const lines = linesOf(text);
  return lines > LONG_LINES ? `[paste #${number} +${lines} lines]` : `[paste #${number} ${text.length} chars]`;
}

/** The marks in a text that stand for one of these pastes, with where they are. */
export function marksIn(text: string, pastes: Pastes): { at: number; mark: string; number: number }[] {
  return Array.from(text.matchAll(MARK), ({ index, 0: mark, 1: number }) => ({
    at: index,
    mark,
    number: Number(number),
  })).filter(({ number }) => pastes.has(number));
}

/** A text with the pastes in place of their marks. A mark within a paste stays as it is. */
export function written(text: string, pastes: Pastes): string {
  return text.replace(MARK, (mark, number) => pastes.get(Number(number)) ?? mark);
}

/** A number for a paste that no mark has yet, in the text or elsewhere. */
export function freeNumber(text: string, pastes: Pastes): number {
  const numbers = Array.from(text.matchAll(MARK), ({ 1: number }) => Number(number)).filter(Number.isSafeInteger);
  return Math.max(0, ...pastes.keys(), ...numbers) + 1;
}

/** Whether a text has something of the form of a mark. */
export function looksMarked(text: string): boolean {
  return text.search(MARK) >= 0;
}
