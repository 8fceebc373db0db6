import { columnsOf, type Glyph, glyphsOf, isPlain, mostColumnsOf } from "../screen/width.ts";

const RESET = "\u001b[0m";
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const SEQUENCES = /\u001b\[[0-9;]*m/g;

/** A character that was written out. It must not be broken, as a part of it would mean something else. */
const WRITTEN_OUT = /\\u\{[0-9a-f]{1,6}\}/g;

/** The number of columns of a coloured string. */
export function columnsIn(text: string): number {
  return columnsOf(text.includes("\u001b") ? text.replace(SEQUENCES, "") : text);
}

/** The most columns that any terminal uses for a coloured string. */
export function mostColumnsIn(text: string): number {
  return mostColumnsOf(text.includes("\u001b") ? text.replace(SEQUENCES, "") : text);
}

/** A position at which a line may be broken. */
interface Break {
  length: number;
  columns: number;
  active: string;
}

/**
 * Breaks a coloured line between words, or within words that are too long. Further lines begin with `indent`. Characters whose width
 * differs between terminals count with their largest width, so that no end of a line is cut off at the edge of the screen.
 */
export function wrapped(line: string, width: number, indent = ""): string[] {
  const room = Math.max(4, width);
  if (isPlain(line) && line.length <= width) return [line];
  if (isPlain(line) && !line.includes("\\u{")) return wrappedPlain(line, room, indent);
  const lines: string[] = [];
  const offset = columnsIn(indent);
  let current = "";
  let columns = 0;
  let active = "";
  let last: Break | undefined;
  const end = (text: string, style: string) => lines.push(text.replace(/ +$/, "") + (style === "" ? "" : RESET));
  const next = () => {
    if (last) {
      end(current.slice(0, last.length), last.active);
      current = indent + last.active + current.slice(last.length);
      columns += offset - last.columns;
    } else {
      end(current, active);
      current = indent + active;
      columns = offset;
    }
    last = undefined;
  };
  for (const part of partsOf(line)) {
    if (typeof part === "string") {
      current += part;
      active = part === RESET ? "" : active + part;
      continue;
    }
    if (columns + part.most > room) {
      if (part.text === " ") {
        last = undefined;
        next();
        continue;
      }
      next();
      // The part moved to the next line may fill it, since that line begins with an indent.
      if (columns + part.most > room && columns > offset) next();
    }
    current += part.text;
    columns += part.most;
    if (part.text === " " || part.width === 2) last = { length: current.length, columns, active };
  }
  if (lines.length === 0 || columns > offset) end(current, active);
  return lines;
}

/** The same, faster, for a line in which each character takes one column, as in most lines. */
function wrappedPlain(line: string, room: number, indent: string): string[] {
  const lines: string[] = [];
  const offset = columnsIn(indent);
  const end = (text: string) => lines.push((lines.length === 0 ? text : indent + text).replace(/ +$/, ""));
  let from = 0;
  for (let most = room; line.length - from > most; most = Math.max(1, room - offset)) {
    const space = line.lastIndexOf(" ", from + most);
    const isBroken = space < from;
    end(line.slice(from, isBroken ? from + most : space));
    from = isBroken ? from + most : space + 1;
  }
  if (from < line.length || lines.length === 0) end(line.slice(from));
  return lines;
}

/** Cuts a coloured line to a width; the last column is `…` if something was cut. */
export function cut(line: string, width: number): string {
  if (columnsIn(line) <= width) return line;
  let text = "";
  let columns = 0;
  let isStyled = false;
  for (const part of partsOf(line)) {
    if (typeof part === "string") {
      text += part;
      isStyled = part !== RESET;
    } else if (columns + part.width < width) {
      text += part.text;
      columns += part.width;
    } else break;
  }
  return `${text}…${isStyled ? RESET : ""}`;
}

/** The glyphs of a line, and its colour sequences as strings. */
function* partsOf(line: string): Generator<Glyph | string> {
  let from = 0;
  for (const match of line.matchAll(SEQUENCES)) {
    yield* piecesOf(line.slice(from, match.index));
    yield match[0];
    from = match.index + match[0].length;
  }
  yield* piecesOf(line.slice(from));
}

/** The glyphs of a string without colours; a character that was written out is one glyph. */
function* piecesOf(text: string): Generator<Glyph> {
  let from = 0;
  for (const match of text.matchAll(WRITTEN_OUT)) {
    yield* glyphsOf(text.slice(from, match.index));
    const [written] = match;
    yield { text: written, width: written.length, most: written.length, isUncertain: false };
    from = match.index + written.length;
  }
  yield* glyphsOf(text.slice(from));
}
