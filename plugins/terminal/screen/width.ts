/**
 * Splits text into the characters that a terminal shows in cells of their own, and knows how many columns each takes. Written
 * without `Intl.Segmenter` and `\p{RGI_Emoji}`, which take 50 ms to load: the first picture must not wait for them.
 */

/** One character on the screen, with the marks that belong to it. */
export interface Glyph {
  text: string;
  /** Columns: 0, 1 or 2. */
  width: number;
  /** Terminals differ about its width, as for emoji that are made of several characters. */
  isUncertain: boolean;
}

const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;
const JOINED =
  /^\p{M}|^[\u200c-\u200d]|^[\ufe00-\ufe0f]|^[\u1160-\u11ff]|^[\u{1f3fb}-\u{1f3ff}]|^[\u{e0020}-\u{e007f}]/u;
const INVISIBLE = /^\p{M}|^\p{Cf}|^[\u115f\u1160]/u;
const REGIONAL = /^[\u{1f1e6}-\u{1f1ff}]/u;
const JOINER = "\u200d";
const EMOJI_FORM = "\ufe0f";

/** Widths of single characters, as text repeats them. */
const known = new Map<string, number>();

/** The glyphs of a text without control characters. */
export function* glyphsOf(text: string): Generator<Glyph> {
  const characters = [...text];
  for (let at = 0; at < characters.length; ) {
    let glyph = characters[at++] as string;
    const first = glyph;
    if (isAscii(first) && !joins(characters[at])) {
      yield { text: glyph, width: 1, isUncertain: false };
      continue;
    }
    if (REGIONAL.test(first) && REGIONAL.test(characters[at] ?? "")) glyph += characters[at++];
    while (joins(characters[at])) {
      const joined = characters[at++] as string;
      glyph += joined;
      if (joined === JOINER && at < characters.length && widthOfOne(characters[at] as string) === 2)
        glyph += characters[at++];
    }
    yield { text: glyph, width: widthOfGlyph(first, glyph), isUncertain: isUncertain(first, glyph) };
  }
}

/** The columns that a text without control characters takes. */
export function columnsOf(text: string): number {
  if (isPlain(text)) return text.length;
  let columns = 0;
  for (const { width } of glyphsOf(text)) columns += width;
  return columns;
}

function isAscii(character: string): boolean {
  return character.length === 1 && character < "\u007f";
}

/** Whether the text consists of printable ASCII alone. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function joins(character: string | undefined): boolean {
  return character !== undefined && character >= "\u0300" && JOINED.test(character);
}

function widthOfGlyph(first: string, glyph: string): number {
  if (glyph.length === first.length) return widthOfOne(first);
  if (glyph.includes(EMOJI_FORM) || REGIONAL.test(first)) return 2;
  return widthOfOne(first);
}

function widthOfOne(character: string): number {
  if (isAscii(character)) return 1;
  let width = known.get(character);
  if (width === undefined) {
    width = INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
    if (known.size > 4_096) known.clear();
    known.set(character, width);
  }
  return width;
}

function isUncertain(first: string, glyph: string): boolean {
  return glyph.length > first.length || first >= "\u{1f000}" || widthOfOne(first) === 0;
}
