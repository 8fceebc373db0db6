import { glyphsOf, isPlain } from "./width.ts";

/** The text and the style of each column of a coloured line. */
export interface Cells {
  /** The text in each column; "" in the second column of a wide character. */
  readonly text: readonly string[];
  /** The style of each column as parameters of an SGR sequence; "" without style. */
  readonly style: readonly string[];
  /** Whether terminals may draw characters of this line with different widths. */
  readonly isUncertain: boolean;
}

const ESC = "\u001b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const SEQUENCE = /\u001b\[([0-9;:]*)m/g;

/** Splits a line into at most `columns` columns. Of its control sequences, only those for colours (SGR) are obeyed. */
export function cellsOf(line: string, columns: number): Cells {
  const text: string[] = [];
  const style: string[] = [];
  let isUncertain = false;
  let current = "";
  const add = (part: string): boolean => {
    if (isPlain(part)) {
      const room = Math.min(part.length, columns - text.length);
      for (let at = 0; at < room; at++) {
        text.push(part[at] as string);
        style.push(current);
      }
      return text.length < columns;
    }
    for (const glyph of glyphsOf(part)) {
      if (glyph.isUncertain) isUncertain = true;
      if (glyph.width === 0) {
        if (text.length > 0) text[text.length - 1] += glyph.text;
        continue;
      }
      if (text.length + glyph.width > columns) return false;
      text.push(glyph.text);
      style.push(current);
      if (glyph.width === 2) {
        text.push("");
        style.push(current);
      }
    }
    return text.length < columns;
  };
  if (!line.includes(ESC)) {
    add(line);
    return { text, style, isUncertain };
  }
  let from = 0;
  for (const match of line.matchAll(SEQUENCE)) {
    if (match.index > from && !add(line.slice(from, match.index))) return { text, style, isUncertain };
    current = nextStyle(current, match[1] ?? "");
    from = match.index + match[0].length;
  }
  if (from < line.length) add(line.slice(from));
  return { text, style, isUncertain };
}

/** For each parameter that turns an attribute off, the parameters that turn it on. */
const OFF: Readonly<Record<string, RegExp>> = {
  "22": /^[12]$/,
  "23": /^3$/,
  "24": /^4$/,
  "27": /^7$/,
  "29": /^9$/,
  "39": /^(3[0-8]|9[0-7])(;|$)/,
  "49": /^(4[0-8]|10[0-7])(;|$)/,
};
const styles = new Map<string, string>();

/** The style after an SGR sequence. */
function nextStyle(current: string, parameters: string): string {
  const key = `${current}|${parameters}`;
  const found = styles.get(key);
  if (found !== undefined) return found;
  let parts = current === "" ? [] : current.split(",");
  for (const attribute of attributesIn(parameters)) {
    if (attribute === "0") parts = [];
    else {
      const off = OFF[attribute] ?? sameKind(attribute);
      parts = parts.filter((part) => !off.test(part));
      if (!OFF[attribute]) parts.push(attribute);
    }
  }
  const next = parts.join(",");
  if (styles.size > 2_000) styles.clear();
  styles.set(key, next);
  return next;
}

/** Matches the attributes that an attribute replaces: the same one, or another colour of the same kind. */
function sameKind(attribute: string): RegExp {
  if (OFF["39"]?.test(attribute)) return OFF["39"];
  if (OFF["49"]?.test(attribute)) return OFF["49"];
  return new RegExp(`^${attribute}$`);
}

/** The attributes of a sequence; an extended colour is one attribute. */
function attributesIn(parameters: string): string[] {
  const numbers = (parameters === "" ? "0" : parameters).replaceAll(":", ";").split(";");
  const attributes: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    // No terminal supports longer numbers, and JavaScript would not write a huge one with digits alone.
    const number = (numbers[at] ?? "0").replace(/^0+(?=.)/, "").slice(0, 3);
    const length = number === "38" || number === "48" ? (numbers[at + 1] === "5" ? 3 : 5) : 1;
    attributes.push(length === 1 ? number : numbers.slice(at, at + length).join(";"));
    at += length;
  }
  return attributes;
}

/** The sequence that sets a style, whatever style was set before. */
export function sequenceOf(style: string): string {
  return style === "" ? `${ESC}[m` : `${ESC}[0;${style.replaceAll(",", ";")}m`;
}
