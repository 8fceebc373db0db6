import { type Block, blocksOf, type ListBlock } from "@scorel/kit/markdown/blocks";
import { Effort } from "@scorel/kit/markdown/effort";
import type { SpanRole } from "@scorel/kit/markdown/node";
import { spansOf } from "@scorel/kit/markdown/spans";
import type { Role } from "../theme/theme.ts";
import { codeLines } from "./code.ts";
import type { Drawing } from "./drawing.ts";
import { table } from "./table.ts";
import { columnsIn, cut, wrapped } from "./wrap.ts";

/** The role for each kind of span. */
const LOOKS: Readonly<Record<SpanRole, Role>> = {
  strong: "strong",
  emphasis: "emphasis",
  code: "code",
  link: "link",
  image: "link",
  address: "muted",
  struck: "muted",
  mark: "muted",
};
/** In fewer columns than these, nested quotes and list items are not indented further. */
const NARROW = 12;

/**
 * Draws Markdown as coloured lines. The text must be safe already (see `safeText`). Text that would take too long to parse, as only an
 * attacker writes it, is shown as it is.
 */
export function markdownLines(text: string, width: number, drawing: Drawing): string[] {
  try {
    const drawer = new MarkdownDrawer(drawing, new Effort(text.length));
    return withoutEmptyEnd(drawer.draw(text, width));
  } catch {
    return withoutEmptyEnd(plainLines(text, width));
  }
}

/** Draws text as it is, without reading it as Markdown. */
export function plainLines(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapped(line, width));
}

function withoutEmptyEnd(lines: string[]): string[] {
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

class MarkdownDrawer {
  private readonly drawing: Drawing;
  private readonly effort: Effort;

  constructor(drawing: Drawing, effort: Effort) {
    this.drawing = drawing;
    this.effort = effort;
  }

  draw(text: string, width: number): string[] {
    return this.apart(blocksOf(text, this.effort), width);
  }

  /** Draws blocks with empty lines between them. In a list without empty lines (`isTight`), only between two paragraphs. */
  private apart(blocks: readonly Block[], width: number, isTight = false): string[] {
    const drawn = blocks
      .map((block) => ({ type: block.type, lines: this.block(block, width) }))
      .filter(({ lines }) => lines.length > 0);
    return drawn.flatMap(({ type, lines }, at) => {
      const before = drawn[at - 1]?.type;
      const isApart = before !== undefined && (!isTight || (before === "paragraph" && type === "paragraph"));
      return isApart ? ["", ...lines] : lines;
    });
  }

  private block(block: Block, width: number): string[] {
    const { theme } = this.drawing;
    switch (block.type) {
      case "heading":
        return plainLines(theme.style("heading", this.inline(block.text)), width);
      case "paragraph":
        return plainLines(this.inline(block.text), width);
      case "plain":
        return plainLines(block.text, width);
      case "code":
        return codeLines(block, width, this.drawing);
      case "list":
        return this.list(block, width);
      case "table":
        return table(block, width, theme, (cell) => this.inline(cell));
      case "quote":
        return this.quote(block.blocks, width);
      case "rule":
        return [theme.style("faint", "─".repeat(Math.min(width, 60)))];
    }
  }

  private quote(blocks: readonly Block[], width: number): string[] {
    const { theme } = this.drawing;
    const bar = width < NARROW ? "" : theme.style("faint", "│ ");
    return this.apart(blocks, width - columnsIn(bar)).map((line) => bar + theme.style("quote", line));
  }

  private list({ start, items, isLoose }: ListBlock, width: number): string[] {
    const first = start ?? 1;
    const last = String(first + items.length - 1);
    return items.flatMap(({ isDone, blocks }, index) => {
      const mark = start === undefined ? "• " : `${String(first + index).padStart(last.length)}. `;
      const head = mark + (isDone === undefined ? "" : `${isDone ? "☑" : "☐"} `);
      const lines = this.item(head, blocks, width, isLoose);
      return isLoose && index < items.length - 1 ? [...lines, ""] : lines;
    });
  }

  private item(head: string, blocks: readonly Block[], width: number, isLoose: boolean): string[] {
    const { theme } = this.drawing;
    const columns = columnsIn(head);
    const isNarrow = width - columns < NARROW;
    const indent = isNarrow ? "" : " ".repeat(columns);
    const room = width - indent.length;
    const inside = this.apart(blocks, room, !isLoose);
    const mark = theme.style("accent", isNarrow ? cut(head.trimEnd(), width) : head);
    if (isNarrow) return [mark, ...inside];
    if (inside.length === 0) return [mark.trimEnd()];
    return inside.map((line, at) => (at === 0 ? mark : line === "" ? "" : indent) + line);
  }

  /** Draws text with its emphasis, code and links. The target of a link is shown, too. */
  private inline(text: string): string {
    const { theme } = this.drawing;
    return spansOf(text, this.effort)
      .map((span) => span.roles.reduceRight((shown, role) => theme.style(LOOKS[role], shown), span.text))
      .join("");
  }
}
