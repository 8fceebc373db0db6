import { codeLines } from "./code.ts";
import type { Drawing } from "./drawing.ts";
import { GrowingCode } from "./growing-code.ts";
import { endsFence, fenceOf } from "./markdown/lines.ts";
import { markdownLines, plainLines } from "./markdown.ts";
import { safeText } from "./safe.ts";

/** Characters that are read as Markdown at once. Longer parts are divided where a line ends, else where a word does. */
const LONGEST_PART = 20_000;
/** What stands behind so many characters is shown as it is written: nobody reads so long a reply for its emphasis. */
const MOST_MARKDOWN = 400_000;

/** Code whose end is not in its part. */
type OpenCode = Pick<NonNullable<ReturnType<typeof fenceOf>>, "mark" | "language">;

/** A part that is complete: where it ends, and whether an empty line stands behind it. */
interface Part {
  end: number;
  isApart: boolean;
  /** Code that goes on behind it. */
  code?: OpenCode | undefined;
}

/**
 * Draws a text that grows at its end. Parts that are complete (up to an empty line outside of code) are drawn once, so that a
 * further word costs the same however long the text is.
 */
export class GrowingText {
  private settled = 0;
  private lines: string[] = [];
  private isApart = false;
  private openCode: OpenCode | undefined;
  /** The lines of code at the end, which is drawn anew once it is complete. */
  private growing = new GrowingCode();
  private width = 0;
  private drawing: Drawing | undefined;

  /** The lines of a text that begins as the one before did. */
  draw(text: string, width: number, drawing: Drawing): string[] {
    if (width !== this.width || drawing !== this.drawing || text.length < this.settled) {
      this.growing = new GrowingCode();
      Object.assign(this, { settled: 0, lines: [], isApart: false, openCode: undefined, width, drawing });
    }
    for (let part = this.next(text); part !== undefined; part = this.next(text)) {
      for (const line of this.following(text.slice(this.settled, part.end), drawing)) this.lines.push(line);
      Object.assign(this, {
        settled: part.end,
        isApart: part.isApart,
        openCode: part.code,
        growing: new GrowingCode(),
      });
    }
    return [...this.lines, ...this.following(text.slice(this.settled), { ...drawing, growing: this.growing })];
  }

  private next(text: string): Part | undefined {
    return endOfPart(text, this.settled, this.openCode);
  }

  /** The lines of a part, behind those before it. */
  private following(part: string, drawing: Drawing): string[] {
    if (part.trim() === "") return [];
    const { openCode, width } = this;
    const shown = safeText(part.replace(/\n$/, ""));
    if (this.settled > MOST_MARKDOWN) return plainLines(shown, width);
    const drawn = openCode ? goesOn(shown, openCode, width, drawing) : markdownLines(shown, width, drawing);
    return this.isApart && this.lines.length > 0 && drawn.length > 0 ? ["", ...drawn] : drawn;
  }
}

/** Code that began in an earlier part. */
function goesOn(part: string, { mark, language }: OpenCode, width: number, drawing: Drawing): string[] {
  const lines = part.split("\n");
  if (endsFence(lines.at(-1) ?? "", mark)) lines.pop();
  return lines.length === 0 ? [] : codeLines({ text: lines.join("\n"), language, isRest: true }, width, drawing);
}

/**
 * Where the part that begins at `from` ends: behind an empty line, if what follows does not go on with a list or code; behind code that
 * began in an earlier part; or before it becomes too long.
 */
function endOfPart(text: string, from: number, begun: OpenCode | undefined): Part | undefined {
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
