import { visibleText } from "@scorel/kit/text/plain";
import { type Glyph, glyphsOf, isPlain } from "../screen/width.ts";
import { oneLine } from "./safe.ts";

const TAB = "    ";
/** Marks above or below one letter, as in accents, Hebrew points or Thai tones. */
const MOST_MARKS = 3;
const MARKED_LETTER = /^\p{L}\p{Mn}+$/u;
const PICTURE = /^(?!\p{Cn})\p{Extended_Pictographic}/u;

/**
 * Text that a person is asked to agree to, of which every character can be seen and takes a known number of columns in all
 * terminals. Others are written out, as in `\u{1f3fb}`: invisible ones, signs and pictures that are joined to the one before them,
 * and those that no standard describes.
 */
export function certainText(text: string): string {
  return visibleText(text.replaceAll("\r\n", "\n"))
    .replaceAll("\t", TAB)
    .split("\n")
    .map((line) => (isPlain(line) ? line : [...glyphsOf(line)].map(certainGlyph).join("")))
    .join("\n");
}

/** The same as one line. */
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

/** A picture is kept: it takes two columns at most, which lines have room for. */
function certainFirst(first: string): string {
  const [glyph] = glyphsOf(first);
  return glyph && (!glyph.isUncertain || PICTURE.test(first)) ? first : written(first);
}

const written = (character: string) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
