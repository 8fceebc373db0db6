/** Small pieces of Markdown; a page is a list of blocks. */

export const heading = (level: number, text: string) => `${"#".repeat(level)} ${text}`;

export const code = (text: string) => `\`${text}\``;

export const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

/** A table; what would end a cell is escaped, line breaks become spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Codes, each linked to its heading on a page. */
export function links(names: readonly string[], page: string): string {
  return names.map((name) => `[${code(name)}](${page}#${anchor(name)})`).join(", ");
}

/** The anchor that a heading with this text gets. */
export function anchor(text: string): string {
  const letters = text.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "");
  return letters.replaceAll(" ", "-");
}

/** A whole file: blocks with an empty line between them, and one newline at the end. */
export const page = (blocks: readonly string[]) => `${blocks.filter((block) => block !== "").join("\n\n")}\n`;

function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}
