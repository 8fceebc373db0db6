/**
 * Splits text into glyphs, the characters that a terminal shows in cells of their own, with the columns that each takes. Does not use
 * `Intl.Segmenter` and `\p{RGI_Emoji}`, which take 50 ms to load: the first frame must not wait for them.
 */

/** One character on the screen, with its combining marks. */
export interface Glyph {
  text: string;
  /** The number of columns: 0, 1 or 2; more only for text that must not be broken. */
  width: number;
  /** The most columns that any terminal uses for it: some show each of its characters separately. */
  most: number;
  /** Whether its width differs between terminals, as for emoji that consist of several characters. */
  isUncertain: boolean;
}

const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;
const JOINED =
  /^\p{M}|^[\u200c-\u200d]|^[\ufe00-\ufe0f]|^[\u1160-\u11ff]|^[\u{1f3fb}-\u{1f3ff}]|^[\u{e0020}-\u{e007f}]/u;
const INVISIBLE = /^\p{M}|^\p{Cf}|^[\u115f\u1160]/u;
const REGIONAL = /^[\u{1f1e6}-\u{1f1ff}]/u;
/** Characters whose width differs between terminals, because their tables are from different years or they draw them as emoji. */
const DISPUTED =
  /^[\p{Extended_Pictographic}\p{Cn}\p{Co}\p{Cs}\u2630-\u2637\u268a-\u268f\u4dc0-\u4dff\ufdf0-\ufdff\uff9e\uff9f\uffa0]/u;
const CONTROL = /^[\p{Cc}\u2028\u2029\ud800-\udfff]/u;
const TAB = 4;
const TONE = /^[\u{1f3fb}-\u{1f3ff}]/u;
const PICTURE = /^\p{Extended_Pictographic}/u;
/** The most characters of a glyph. No letter or emoji has more; a longer run of marks is broken like other text. */
const MOST_JOINED = 24;
const JOINER = "\u200d";
const EMOJI_FORM = "\ufe0f";

/** Cached widths of characters. */
const known = new Map<string, number>();
/** Cached results of `isDisputed`. */
const disputed = new Map<string, boolean>();

/**
 * The glyphs of a string. They contain no control characters, so that none can reach the terminal: a tab becomes spaces, and others are
 * replaced by a visible sign.
 */
export function* glyphsOf(text: string): Generator<Glyph> {
  const characters = [...text];
  for (let at = 0; at < characters.length; ) {
    let glyph = characters[at++] as string;
    const first = glyph;
    if (isControl(first)) {
      yield* signsOf(first);
      continue;
    }
    if (isAscii(first) && !joins(characters[at], first)) {
      yield { text: glyph, width: 1, most: 1, isUncertain: false };
      continue;
    }
    if (REGIONAL.test(first) && REGIONAL.test(characters[at] ?? "")) glyph += characters[at++];
    for (let count = 1; count < MOST_JOINED && joins(characters[at], characters[at - 1]); count++) {
      const joined = characters[at++] as string;
      glyph += joined;
      if (joined === JOINER && at < characters.length && widthOfOne(characters[at] as string) === 2)
        glyph += characters[at++];
    }
    const width = widthOfGlyph(first, glyph);
    const uncertain = isUncertain(first, glyph);
    yield { text: glyph, width, most: uncertain ? mostOf(glyph, width) : width, isUncertain: uncertain };
  }
}

function isControl(character: string): boolean {
  if (isAscii(character)) return character < " ";
  return CONTROL.test(character);
}

/** The glyphs that replace a control character. */
function* signsOf(character: string): Generator<Glyph> {
  const code = character.charCodeAt(0);
  const sign = code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
  const [text, count] = character === "\t" ? [" ", TAB] : [sign, 1];
  for (let at = 0; at < count; at++) yield { text, width: 1, most: 1, isUncertain: false };
}

/** The number of columns of a string. */
export function columnsOf(text: string): number {
  if (isPlain(text)) return text.length;
  let columns = 0;
  for (const { width } of glyphsOf(text)) columns += width;
  return columns;
}

/** The most columns that any terminal uses for a string. */
export function mostColumnsOf(text: string): number {
  if (isPlain(text)) return text.length;
  let columns = 0;
  for (const { most } of glyphsOf(text)) columns += most;
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

/** Whether a character joins the one before it. A skin tone does so only after an emoji; elsewhere it is drawn separately. */
function joins(character: string | undefined, before = ""): boolean {
  if (character === undefined || character < "\u0300" || !JOINED.test(character)) return false;
  return !TONE.test(character) || PICTURE.test(before);
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
  return glyph.length > first.length || first >= "\u{1f000}" || widthOfOne(first) === 0 || isDisputed(first);
}

function isDisputed(character: string): boolean {
  let is = disputed.get(character);
  if (is === undefined) {
    is = DISPUTED.test(character);
    if (disputed.size > 4_096) disputed.clear();
    disputed.set(character, is);
  }
  return is;
}

/** The columns of a glyph in a terminal that shows each of its characters separately, and as wide as any terminal does. */
function mostOf(glyph: string, width: number): number {
  let most = 0;
  for (const character of glyph) most += mostOfOne(character);
  return Math.max(width, most);
}

function mostOfOne(character: string): number {
  if (isAscii(character)) return 1;
  // This selector turns a narrow character into a wide emoji.
  if (character === EMOJI_FORM) return 1;
  if (character === JOINER || /^[\p{Mn}\p{Me}\u200c]/u.test(character)) return 0;
  if (/^[\p{Mc}\p{Cf}\u1160-\u11ff]/u.test(character)) return 1;
  return isDisputed(character) || REGIONAL.test(character) ? 2 : Math.max(1, widthOfOne(character));
}
