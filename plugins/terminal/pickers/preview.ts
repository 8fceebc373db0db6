import { diffLines } from "../rows/diff.ts";
import { markdownLines, plainLines } from "../rows/markdown.ts";
import { safeText } from "../rows/safe.ts";
import type { Theme } from "../theme/theme.ts";
import type { PreviewPart } from "./picker-parts.ts";

interface Drawn {
  width: number;
  theme: Theme;
  /** The lines of each part. */
  parts: readonly (readonly string[])[];
}

/** The preview of an item. Its lines are kept, since the list is drawn again at each key. */
export class Preview {
  private readonly parts: readonly PreviewPart[];
  /** See `previewsEnd` of `PickerOptions`. */
  private readonly showsEnd: boolean;
  private drawn: Drawn | undefined;

  constructor(parts: string | readonly PreviewPart[], showsEnd = false) {
    this.parts = typeof parts === "string" ? [{ text: parts }] : parts;
    this.showsEnd = showsEnd;
  }

  /** At most `height` lines. */
  lines({ width, height }: { width: number; height: number }, theme: Theme): readonly string[] {
    const [first = [], ...others] = this.draw(width, theme).parts;
    const rest = others.flatMap((part) => ["", ...part]);
    const room = height - first.length - 1;
    if (!this.showsEnd || rest.length <= room + 1 || room < 1) return [...first, ...rest].slice(0, height);
    return [...first, theme.style("faint", "⋯"), ...rest.slice(-room)];
  }

  private draw(width: number, theme: Theme): Drawn {
    if (this.drawn?.width !== width || this.drawn.theme !== theme)
      this.drawn = { width, theme, parts: this.parts.map((part) => partLines(part, width, theme)) };
    return this.drawn;
  }
}

function partLines(part: PreviewPart, width: number, theme: Theme): string[] {
  if ("diff" in part) return diffLines(safeText(part.diff), width, theme);
  if ("markdown" in part) return markdownLines(safeText(part.markdown), width, { theme });
  return plainLines(safeText(part.text), width);
}
