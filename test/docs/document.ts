import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { anchor } from "./markdown.ts";
import { filesOf, read, root } from "./source.ts";

/** A fenced block of a document. */
export interface Block {
  file: string;
  line: number;
  language: string;
  text: string;
  /** The paragraph before the block, without a colon at its end. */
  before: string;
}

/** The paths of all Markdown files of the documentation, relative to the root. */
export function documents(): string[] {
  return ["README.md", ...filesOf("docs", ".md"), ...filesOf("plugins", "README.md")];
}

/** The fenced blocks of a document. */
export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let before: string[] = [];
  for (const [index, line] of read(file).split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence && open) {
      blocks.push(open);
      open = undefined;
      before = [];
    } else if (fence)
      open = { file, line: index + 1, language: fence[1]?.trim() ?? "", text: "", before: told(before) };
    else if (open) open.text += `${line}\n`;
    else before.push(line);
  }
  return blocks;
}

/** The last paragraph of some lines, as one line. */
function told(lines: readonly string[]): string {
  const paragraph = lines.join("\n").trim().split(/\n\n/).at(-1) ?? "";
  return paragraph.startsWith("#") ? "" : paragraph.replaceAll("\n", " ").replace(/:$/, ".");
}

/** The headings of a given level, without code blocks. */
export function headingsOf(text: string, level: number): string[] {
  const mark = `${"#".repeat(level)} `;
  return proseOf(text)
    .split("\n")
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length).trim());
}

/** Relative links of a document whose target does not exist. */
export function brokenLinksOf(file: string): string[] {
  const targets = [...proseOf(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !resolves(file, target));
}

function resolves(file: string, target: string): boolean {
  const [path = "", fragment] = target.split("#");
  const full = path === "" ? file : posix.join(posix.dirname(file), path);
  if (!existsSync(join(root, full))) return false;
  return fragment === undefined || anchorsOf(full).has(fragment);
}

function anchorsOf(file: string): Set<string> {
  const text = read(file);
  return new Set([1, 2, 3, 4].flatMap((level) => headingsOf(text, level)).map(anchor));
}

function proseOf(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, "");
}
