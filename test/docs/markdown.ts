/** Helpers for Markdown; a page is a list of blocks. */

export const heading = (level: number, text: string) => `${"#".repeat(level)} ${text}`;

export const code = (text: string) => `\`${text}\``;

export const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

/** A table. Pipes in cells are escaped, and line breaks become spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Error codes, each linked to its heading on a page. */
export function links(names: readonly string[], page: string): string {
  return names.map((name) => `[${code(name)}](${page}#${anchor(name)})`).join(", ");
}

/** The anchor of a heading with this text. */
export function anchor(text: string): string {
  const letters = text.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "");
  return letters.replaceAll(" ", "-");
}

/** A complete file: blocks separated by empty lines, and one newline at the end. */
export const page = (blocks: readonly string[]) => `${blocks.filter((block) => block !== "").join("\n\n")}\n`;

function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}
