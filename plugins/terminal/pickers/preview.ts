import { diffLines } from "../rows/diff.ts";
import { markdownLines, plainLines } from "../rows/markdown.ts";
import { safeText } from "../rows/safe.ts";
import type { Theme } from "../theme/theme.ts";
import type { PreviewPart } from "./picker-parts.ts";

/** The preview of an item. Its lines are kept, since the list is drawn again at each key. */
export class Preview {
  private readonly parts: readonly PreviewPart[];
  private drawn: { width: number; theme: Theme; lines: readonly string[] } | undefined;

  constructor(parts: string | readonly PreviewPart[]) {
    this.parts = typeof parts === "string" ? [{ text: parts }] : parts;
  }

  lines(width: number, theme: Theme): readonly string[] {
    if (this.drawn?.width !== width || this.drawn.theme !== theme)
      this.drawn = { width, theme, lines: this.draw(width, theme) };
    return this.drawn.lines;
  }

  private draw(width: number, theme: Theme): string[] {
    return this.parts.flatMap((part, at) => [...(at === 0 ? [] : [""]), ...partLines(part, width, theme)]);
  }
}

function partLines(part: PreviewPart, width: number, theme: Theme): string[] {
  if ("diff" in part) return diffLines(safeText(part.diff), width, theme);
  if ("markdown" in part) return markdownLines(safeText(part.markdown), width, { theme });
  return plainLines(safeText(part.text), width);
}
