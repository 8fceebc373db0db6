import type { Cursor } from "../parts.ts";
import type { Theme } from "../theme/theme.ts";

/** An empty field for the first frame, until the real field is loaded. Looks the same. */
export class FirstField {
  readonly cursor: Cursor = { row: 1, column: 2 };
  private readonly theme: Theme;

  constructor(theme: Theme) {
    this.theme = theme;
  }

  render(width: number): string[] {
    const rule = this.theme.style("faint", "─".repeat(width));
    return [rule, this.theme.style("accent", "> "), rule];
  }
}
