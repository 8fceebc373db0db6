import { visibleText } from "@scorel/kit/text/plain";
import { type Glyph, glyphsOf, isPlain } from "../screen/width.ts";
import { oneLine } from "./safe.ts";

const TAB = "    ";
/** The most combining marks on one letter, such as accents, Hebrew points or Thai tones. */
const MOST_MARKS = 3;
const MARKED_LETTER = /^\p{L}\p{Mn}+$/u;
const PICTURE = /^(?!\p{Cn})\p{Extended_Pictographic}/u;

/**
 * Makes text certain, for questions that a user may agree to: every character is visible and takes the same number of columns in all
 * terminals. Other characters are written out, as in `\u{1f3fb}`: invisible ones, signs and emoji that join the character before them, and
 * characters that Unicode does not define.
 */
export function certainText(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"))
    .replaceAll("\t", TAB)
    .split("\n")
    .map((line) => (isPlain(line) ? line : [...glyphsOf(line)].map(certainGlyph).join("")))
    .join("\n");
}

/** Makes text certain, and puts it on one line. */
export function certainLine(text: string): string {
  return oneLine(certainText(text));
}

function certainGlyph(glyph: Glyph): string {
  if (isCertain(glyph)) return glyph.text;
  const [first = "", ...joined] = glyph.text;
  return certainFirst(first) + joined.map(written).join("");
}

function isCertain({ text, isUncertain }: Glyph): boolean {
  if (!isUncertain) return true;
  return MARKED_LETTER.test(text) && [...text].length <= MOST_MARKS + 1;
}

/** Keeps an emoji, for whose two columns lines have room, and writes out other uncertain characters. */
function certainFirst(first: string): string {
  const [glyph] = glyphsOf(first);
  return glyph && (!glyph.isUncertain || PICTURE.test(first)) ? first : written(first);
}

const written = (character: string) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
