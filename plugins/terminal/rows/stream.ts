import { endsFence } from "@scorel/kit/markdown/lines";
import { endOfPart, type OpenCode, type Part } from "@scorel/kit/markdown/parts";
import { codeLines } from "./code.ts";
import type { Drawing } from "./drawing.ts";
import { GrowingCode } from "./growing-code.ts";
import { markdownLines, plainLines } from "./markdown.ts";
import { safeText } from "./safe.ts";

/** The number of characters after which Markdown is shown as it is: nobody needs emphasis in so long a reply. */
const MOST_MARKDOWN = 400_000;

/**
 * Draws text that grows at its end. Complete parts (up to an empty line outside of code) are drawn only once, so that a further word
 * costs the same however long the text is.
 */
export class GrowingText {
  private settled = 0;
  private lines: string[] = [];
  private isApart = false;
  private openCode: OpenCode | undefined;
  /** The lines of the code block at the end. It is drawn once more when it is complete. */
  private growing = new GrowingCode();
  private width = 0;
  private drawing: Drawing | undefined;

  /** Draws text, which must begin with the text drawn before. Starts anew for shorter text, and for another width or drawing. */
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

  /** Draws a part that follows the complete parts. */
  private following(part: string, drawing: Drawing): string[] {
    if (part.trim() === "") return [];
    const { openCode, width } = this;
    const shown = safeText(part.replace(/\n$/, ""));
    if (this.settled > MOST_MARKDOWN) return plainLines(shown, width);
    const drawn = openCode ? continuedCode(shown, openCode, width, drawing) : markdownLines(shown, width, drawing);
    return this.isApart && this.lines.length > 0 && drawn.length > 0 ? ["", ...drawn] : drawn;
  }
}

/** Draws the continuation of a code block that began in an earlier part. */
function continuedCode(part: string, { mark, language }: OpenCode, width: number, drawing: Drawing): string[] {
  const lines = part.split("\n");
  if (endsFence(lines.at(-1) ?? "", mark)) lines.pop();
  return lines.length === 0 ? [] : codeLines({ text: lines.join("\n"), language, isRest: true }, width, drawing);
}
