import { endsFence, fenceOf } from "./lines.ts";

/** Maximum number of characters parsed as Markdown at once. Longer parts are split at the end of a line, or else of a word. */
const LONGEST_PART = 20_000;

/** A code block that continues after the end of its part. */
export type OpenCode = Pick<NonNullable<ReturnType<typeof fenceOf>>, "mark" | "language">;

/** A part of a text that later text cannot change. `end` is the index after it, and `isApart` whether a blank line is drawn after it. */
export interface Part {
  end: number;
  isApart: boolean;
  /** The code block that continues in the next part. */
  code?: OpenCode | undefined;
}

/**
 * Finds the end of the part that begins at `from`: after a blank line, unless a list or a code block continues there; after a code block
 * that began in an earlier part; or where the part would become too long. Undefined if the text ends before that.
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
    // Lists and quotes may be split only before a line that is not indented.
    if (code || /^\S/.test(text.slice(at, at + 1))) cut = { end: at, isApart: false, code };
  }
  return undefined;
}

function endOfWords(line: string): number {
  const space = line.lastIndexOf(" ", LONGEST_PART);
  return space > LONGEST_PART / 2 ? space + 1 : LONGEST_PART;
}
