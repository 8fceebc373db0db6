import type { DisplayAction } from "@scorel/kernel";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import { cardText } from "./drawing.ts";
import { marked } from "./indented.ts";

/** The text of tool calls: a title when one starts, and its output when it ends. */
export class ToolLines {
  /** Ids of the running calls that were printed, since the host announces them again after a lost connection. */
  private readonly calls = new Set<string>();
  /** The title that was printed last. */
  private named: string | undefined;

  /** Whether the start of this call was asked about before. */
  isKnown(id: string | undefined): boolean {
    const { size } = this.calls;
    return id !== undefined && this.calls.add(id).size === size;
  }

  /**
   * Formats a tool's title when it starts, and then its output, with the title again if other output came in between or the card of that
   * title has ended. `by` is the name of another client that has typed it.
   */
  text(card: DisplayAction, width: number | undefined, by?: string): string {
    // Only a card changes its state; other displays would appear twice.
    if (card.display !== "card") return "";
    const { status } = card;
    const title = visibleBreaks(by === undefined ? card.title : `${by} ${card.title}`);
    const named = this.named === title;
    this.named = status === "running" ? title : undefined;
    const head = (text: string) => marked(text, "  ", width, "· ");
    if (status === "running") return head(title);
    const above = status === "error" ? `${head(`failed: ${title}`)}\n` : named ? "" : `${head(title)}\n`;
    return `${above}${cardText(card, width)}`.trimEnd();
  }
}
