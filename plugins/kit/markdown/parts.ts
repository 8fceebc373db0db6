import { endsFence, fenceOf } from "./lines.ts";

/** Characters that are read as Markdown at once. Longer parts are divided where a line ends, else where a word does. */
const LONGEST_PART = 20_000;

/** Code whose end is not in its part. */
export type OpenCode = Pick<NonNullable<ReturnType<typeof fenceOf>>, "mark" | "language">;

/** A part of a text that is complete, whatever follows: where it ends, and whether an empty line stands behind it. */
export interface Part {
  end: number;
  isApart: boolean;
  /** Code that goes on behind it. */
  code?: OpenCode | undefined;
}

/**
 * Where the part that begins at `from` ends: behind an empty line, if what follows does not go on with a list or code; behind code that
 * began in an earlier part; or before it becomes too long.
 */
export function endOfPart(text: string, from: number, begun: OpenCode | undefined): Part | undefined {
  let code = begun;
  let cut: Part | undefined;
  for (let at = from, isBlank = false; at < text.length; ) {
    const ahead = text.slice(at, at + LONGEST_PART + 1);
    const length = ahead.indexOf("\n");
    const line = length < 0 ? ahead : ahead.slice(0, length);
    if (isBlank && code === undefined && /^\S/.test(line)) return { end: at, isApart: true };
    if (at + line.length - from > LONGEST_PART)
      return cut ?? { end: at > from ? at : at + endOfWords(line), isApart: false, code };
    if (length < 0) return undefined;
    at += length + 1;
    if (code && endsFence(line, code.mark)) {
      if (begun) return { end: at, isApart: true };
      code = undefined;
    } else code ??= fenceOf(line);
    isBlank = code === undefined && line.trim() === "";
    // A list or a quote is divided between its outermost lines.
    if (code || /^\S/.test(text.slice(at, at + 1))) cut = { end: at, isApart: false, code };
  }
  return undefined;
}

function endOfWords(line: string): number {
  const space = line.lastIndexOf(" ", LONGEST_PART);
  return space > LONGEST_PART / 2 ? space + 1 : LONGEST_PART;
}
