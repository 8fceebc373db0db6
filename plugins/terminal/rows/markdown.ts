import type { Lexer, Token, Tokens } from "marked";
import type { Theme } from "../theme/theme.ts";
import { codeLines } from "./code.ts";
import type { Drawing } from "./drawing.ts";
import { table } from "./table.ts";
import { columnsIn, wrapped } from "./wrap.ts";

/** Loads what splits Markdown. */
export async function loadLexer(): Promise<(text: string) => Token[]> {
  const { Lexer: Lexed } = (await import("marked")) as { Lexer: typeof Lexer };
  return (text) => new Lexed({ gfm: true }).lex(text);
}

/** Draws Markdown as coloured lines. The text is safe already. */
export function markdownLines(text: string, width: number, drawing: Drawing): string[] {
  if (!drawing.lex) return text.split("\n").flatMap((line) => wrapped(line, width));
  const lines = blocks(drawing.lex(text), width, drawing);
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

function blocks(tokens: readonly Token[], width: number, drawing: Drawing): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    if (token.type === "space") continue;
    const drawn = block(token, width, drawing);
    if (drawn.length === 0) continue;
    if (lines.length > 0) lines.push("");
    lines.push(...drawn);
  }
  return lines;
}

function block(token: Token, width: number, drawing: Drawing): string[] {
  const { theme } = drawing;
  switch (token.type) {
    case "heading":
      return styledLines(theme.style("heading", inline(token.tokens ?? [], drawing)), width);
    case "code":
      return codeLines(token as Tokens.Code, width, drawing);
    case "list":
      return list(token as Tokens.List, width, drawing);
    case "table":
      return table(token as Tokens.Table, width, theme, (cell) => inline(cell, drawing));
    case "blockquote":
      return blocks(token.tokens ?? [], Math.max(8, width - 2), drawing).map(
        (line) => theme.style("faint", "│ ") + theme.style("quote", line),
      );
    case "hr":
      return [theme.style("faint", "─".repeat(Math.min(width, 60)))];
    case "paragraph":
    case "text":
      return styledLines(inline(token.tokens ?? [token], drawing), width);
    case "def":
      return [];
    default:
      return styledLines(token.raw.trimEnd(), width);
  }
}

function styledLines(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapped(line, width));
}

function list({ ordered, start, items, loose }: Tokens.List, width: number, drawing: Drawing): string[] {
  const { theme } = drawing;
  const first = Number(start) || 1;
  const last = String(first + items.length - 1);
  return items.flatMap((item, index) => {
    const mark = ordered ? `${String(first + index).padStart(last.length)}. ` : "• ";
    const box = item.task ? `${item.checked ? "☑" : "☐"} ` : "";
    const indent = " ".repeat(columnsIn(mark + box));
    const room = Math.max(8, width - indent.length);
    const inside = item.tokens.flatMap((token) => (token.type === "space" ? [] : block(token, room, drawing)));
    const lines = inside.map((line, at) => (at === 0 ? theme.style("accent", mark + box) + line : indent + line));
    return loose && index < items.length - 1 ? [...lines, ""] : lines.length > 0 ? lines : [mark];
  });
}

/** Draws text with its emphasis, code and links. A link shows where it leads. */
function inline(tokens: readonly Token[], drawing: Drawing): string {
  return tokens.map((token) => span(token, drawing)).join("");
}

function span(token: Token, drawing: Drawing): string {
  const { theme } = drawing;
  const inside = () => inline((token as Tokens.Generic).tokens ?? [], drawing);
  switch (token.type) {
    case "strong":
      return theme.style("strong", inside());
    case "em":
      return theme.style("emphasis", inside());
    case "del":
      return theme.style("muted", `~${inside()}~`);
    case "codespan":
      return theme.style("code", unescaped(token.text));
    case "br":
      return "\n";
    case "link":
      return link(token as Tokens.Link, inside(), theme);
    case "image":
      return `${theme.style("link", token.text || "image")} ${theme.style("muted", `(${token.href})`)}`;
    case "escape":
      return token.text;
    case "text":
      return (token as Tokens.Text).tokens ? inside() : unescaped(token.raw);
    default:
      return token.raw;
  }
}

function link({ href, text }: Tokens.Link, shown: string, theme: Theme): string {
  const isAddress = text === href || `mailto:${text}` === href;
  return isAddress ? theme.style("link", href) : `${theme.style("link", shown)} ${theme.style("muted", `(${href})`)}`;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

function unescaped(text: string): string {
  return text.includes("&") ? text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name) => ENTITIES[name] ?? "") : text;
}
