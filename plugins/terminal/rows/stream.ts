import type { Drawing } from "./drawing.ts";
import { GrowingCode } from "./growing-code.ts";
import { markdownLines } from "./markdown.ts";
import { safeText } from "./safe.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Draws a text that grows at its end. Parts that are complete (up to an empty line outside of code) are drawn once, so that a
 * further word costs the same however long the text is.
 */
export class GrowingText {
  private settled = 0;
  private lines: string[] = [];
  private width = 0;
  private drawing: Drawing | undefined;
  /** The lines of code at the end, which is drawn anew once it is complete. */
  private code = new GrowingCode();

  /** The lines of a text that begins as the one before did. */
  draw(text: string, width: number, drawing: Drawing): string[] {
    if (width !== this.width || drawing !== this.drawing || text.length < this.settled) {
      Object.assign(this, { settled: 0, lines: [], width, drawing, code: new GrowingCode() });
    }
    for (let end = endOfPart(text, this.settled); end !== undefined; end = endOfPart(text, this.settled)) {
      this.add(text.slice(this.settled, end));
      this.settled = end;
    }
    const rest = text.slice(this.settled);
    if (rest.trim() === "") return this.lines;
    const tail = markdownLines(safeText(rest), width, { ...drawing, growing: this.code });
    return this.lines.length > 0 ? [...this.lines, "", ...tail] : tail;
  }

  private add(part: string): void {
    this.code = new GrowingCode();
    if (part.trim() === "") return;
    const drawn = markdownLines(safeText(part), this.width, this.drawing as Drawing);
    if (this.lines.length > 0 && drawn.length > 0) this.lines.push("");
    this.lines.push(...drawn);
  }
}

/** Where the part that begins at `from` ends: behind an empty line, if what follows does not go on with a list or code. */
function endOfPart(text: string, from: number): number | undefined {
  let fence: string | undefined;
  for (let at = from, isBlank = false; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : end);
    if (isBlank && fence === undefined && /^\S/.test(line)) return at;
    if (end < 0) return undefined;
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    isBlank = fence === undefined && line.trim() === "";
    at = end + 1;
  }
  return undefined;
}
