import type { Effort } from "./effort.ts";
import { endsFence, fenceOf, indentOf, isBlank, isRule } from "./lines.ts";
import { delimiters, isDelimiterRow, rowCells, type TableBlock } from "./table-rows.ts";

/** A block of a Markdown text. `text` is parsed for emphasis, code and links when it is drawn, except for that of `code` and `plain`. */
export type Block =
  | { type: "paragraph"; text: string }
  /** `level` is 1 to 6; 1 is the highest. */
  | { type: "heading"; text: string; level: number }
  /** Shown unchanged, without parsing. */
  | { type: "plain"; text: string }
  | { type: "code"; text: string; language: string }
  | { type: "quote"; blocks: Block[] }
  | ListBlock
  | TableBlock
  | { type: "rule" };

/** A list. `isDone` is set for items with a check box. */
export interface ListBlock {
  type: "list";
  /** The number of the first item; undefined for a list without numbers. */
  start: number | undefined;
  items: { isDone: boolean | undefined; blocks: Block[] }[];
  /** Whether blank lines separate the items. */
  isLoose: boolean;
}

/** Maximum depth of nested quotes and lists. Deeper ones are shown as plain text. */
const DEEPEST = 12;
const HEADING = /^ {0,3}#{1,6}(?: |$)/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const TASK = /^\[([ xX])\] +/;

/** Parses Markdown into blocks. Each line is read a few times for each quote and list around it. */
export function blocksOf(text: string, effort: Effort): Block[] {
  return new BlockReader(text.split("\n"), 0, effort).read();
}

/** Parses lines in order. The lines of each quote and list item are parsed by a nested reader. */
class BlockReader {
  private at = 0;
  private readonly lines: readonly string[];
  private readonly depth: number;
  private readonly effort: Effort;

  constructor(lines: readonly string[], depth: number, effort: Effort) {
    this.lines = lines;
    this.depth = depth;
    this.effort = effort;
  }

  read(): Block[] {
    const blocks: Block[] = [];
    while (this.at < this.lines.length) {
      if (isBlank(this.take(0))) this.at++;
      else blocks.push(this.block());
    }
    return blocks;
  }

  /** Returns the line `ahead` lines after the current one, and counts the effort of reading it. */
  private take(ahead: number): string {
    const line = this.lines[this.at + ahead] ?? "";
    this.effort.spend(line.length + 1);
    return line;
  }

  private block(): Block {
    const line = this.take(0);
    if (this.depth >= DEEPEST) return this.plain();
    if (fenceOf(line)) return this.fenced();
    if (line.startsWith("    ")) return this.indented();
    if (HEADING.test(line)) return this.heading();
    if (isRule(line)) return this.rule();
    if (QUOTE.test(line)) return this.quote();
    if (ITEM.test(line)) return this.list();
    return this.startsTable() ? this.table() : this.paragraph();
  }

  /** Returns all remaining lines unparsed, because they are nested too deeply. */
  private plain(): Block {
    const text = this.lines.slice(this.at).join("\n");
    this.at = this.lines.length;
    return { type: "plain", text };
  }

  private fenced(): Block {
    const { indent, mark, language } = fenceOf(this.take(0)) as { indent: number; mark: string; language: string };
    const code: string[] = [];
    for (this.at++; this.at < this.lines.length; this.at++) {
      const line = this.take(0);
      if (endsFence(line, mark)) break;
      code.push(line.slice(Math.min(indent, indentOf(line))));
    }
    this.at++;
    return { type: "code", text: code.join("\n"), language };
  }

  private indented(): Block {
    const code: string[] = [];
    for (; this.at < this.lines.length; this.at++) {
      const line = this.take(0);
      if (!line.startsWith("    ") && !isBlank(line)) break;
      code.push(line.slice(4));
    }
    while (code.length > 0 && isBlank(code.at(-1) as string)) code.pop();
    return { type: "code", text: code.join("\n"), language: "" };
  }

  private heading(): Block {
    const line = this.take(0).trim();
    const level = /^#+/.exec(line)?.[0].length ?? 1;
    const text = line.slice(level).trim();
    this.at++;
    let end = text.length;
    while (text[end - 1] === "#") end--;
    // `#` characters at the end close the heading if a space precedes them.
    const isClosed = end === 0 || text[end - 1] === " ";
    return { type: "heading", text: isClosed ? text.slice(0, end).trimEnd() : text, level };
  }

  private rule(): Block {
    this.at++;
    return { type: "rule" };
  }

  private quote(): Block {
    const inside: string[] = [];
    let isFenced = false;
    for (; this.at < this.lines.length; this.at++) {
      const line = this.take(0);
      const mark = QUOTE.exec(line)?.[0];
      if (mark === undefined && (isFenced || isBlank(inside.at(-1) ?? "") || this.startsBlock(line))) break;
      const rest = line.slice(mark?.length ?? 0);
      if (fenceOf(rest)) isFenced = !isFenced;
      inside.push(rest);
    }
    return { type: "quote", blocks: this.within(inside) };
  }

  private list(): Block {
    const [, , mark = ""] = ITEM.exec(this.take(0)) as RegExpExecArray;
    const kind = mark.at(-1);
    const start = mark.length > 1 ? Number.parseInt(mark, 10) : undefined;
    const items: ListBlock["items"] = [];
    let isLoose = false;
    while (this.at < this.lines.length) {
      const line = this.take(0);
      const next = ITEM.exec(line);
      if (next?.[2]?.at(-1) !== kind || isRule(line)) break;
      const inside = this.itemLines(next as RegExpExecArray);
      const isSpaced = isBlank(inside.at(-1) ?? "x") && inside.length > 1;
      items.push(this.item(inside));
      isLoose ||= isSpaced && ITEM.exec(this.lines[this.at] ?? "")?.[2]?.at(-1) === kind;
    }
    return { type: "list", start, items, isLoose };
  }

  /** The lines of a list item, without its mark and indentation. */
  private itemLines([whole, indent = "", mark = "", spaces = ""]: RegExpExecArray): string[] {
    const width = indent.length + mark.length + (spaces.length > 4 || spaces === "" ? 1 : spaces.length);
    const first = this.take(0);
    const inside = [whole.length === first.length ? "" : first.slice(width)];
    for (this.at++; this.at < this.lines.length; this.at++) {
      const line = this.take(0);
      const isAfterBlank = isBlank(inside.at(-1) ?? "");
      if (isBlank(line)) inside.push("");
      else if (indentOf(line) >= width) inside.push(line.slice(width));
      else if (isAfterBlank || ITEM.test(line) || this.startsBlock(line)) break;
      else inside.push(line.trimStart());
    }
    return inside;
  }

  private item(inside: string[]): ListBlock["items"][number] {
    const [whole = "", box] = TASK.exec(inside[0] ?? "") ?? [];
    const lines = [(inside[0] ?? "").slice(whole.length), ...inside.slice(1)];
    return { isDone: box === undefined ? undefined : box !== " ", blocks: this.within(lines) };
  }

  private within(lines: readonly string[]): Block[] {
    return new BlockReader(lines, this.depth + 1, this.effort).read();
  }

  private startsTable(): boolean {
    const line = this.take(0);
    const next = this.take(1);
    return line.includes("|") && isDelimiterRow(next) && rowCells(line).length === rowCells(next).length;
  }

  private table(): Block {
    const header = rowCells(this.take(0));
    const align = delimiters(this.take(1));
    const rows: string[][] = [];
    for (this.at += 2; this.at < this.lines.length; this.at++) {
      const line = this.take(0);
      if (isBlank(line) || this.startsBlock(line)) break;
      rows.push(rowCells(line).slice(0, header.length));
    }
    return { type: "table", header, align, rows };
  }

  /** A paragraph, or an underlined heading. The line breaks of the text are kept. */
  private paragraph(): Block {
    const lines = [this.take(0).trim()];
    for (this.at++; this.at < this.lines.length; this.at++) {
      const line = this.take(0);
      if (isBlank(line)) break;
      if (/^ {0,3}(?:=+|-+) *$/.test(line)) {
        this.at++;
        return { type: "heading", text: lines.join("\n"), level: line.includes("=") ? 1 : 2 };
      }
      if (this.startsBlock(line) || (line.includes("|") && this.startsTable())) break;
      lines.push(line.trim());
    }
    return { type: "paragraph", text: lines.join("\n") };
  }

  /** Whether a line ends the paragraph before it. */
  private startsBlock(line: string): boolean {
    if (fenceOf(line) || HEADING.test(line) || QUOTE.test(line) || isRule(line)) return true;
    const [whole, , mark = ""] = ITEM.exec(line) ?? [];
    return whole !== undefined && whole.length < line.length && (mark.length === 1 || Number.parseInt(mark, 10) === 1);
  }
}
