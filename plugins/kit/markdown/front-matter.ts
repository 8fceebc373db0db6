import type { Field } from "./yaml.ts";

export interface Flaw {
  line: number;
  message: string;
}
/** A parsed Markdown file with front matter. */
export interface MarkdownFile {
  fields: ReadonlyMap<string, Field>;
  /** Without surrounding blank lines. */
  body: string;
  /** The line at which the body begins. */
  bodyLine: number;
  /** Errors that were tolerated. */
  flaws: readonly Flaw[];
}

/** Limits of a front matter, in characters and in lines. Parsing a larger one could take minutes. */
const LARGEST = 16 * 1024;
const LONGEST = 400;

/**
 * Parses a Markdown file such as a SKILL.md: YAML between two `---` lines, then Markdown. Returns a reason if the front matter has no end or is too
 * large.
 */
export async function parseFrontMatter(given: string): Promise<MarkdownFile | { reason: string }> {
  const lines = given
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .split("\n");
  if (lines[0]?.trim() !== "---") {
    const flaws = [{ line: 1, message: "it has no front matter: the first line is not ---" }];
    return { fields: new Map(), ...bodyOf(lines, 0), flaws };
  }
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) return { reason: "its front matter is not closed by a line ---" };
  const matter = lines.slice(1, end);
  if (matter.length > LONGEST) return { reason: `its front matter has more than ${LONGEST} lines` };
  if (matter.join("\n").length > LARGEST) return { reason: `its front matter is larger than ${LARGEST / 1024} KiB` };
  return { ...(await fieldsOf(matter)), ...bodyOf(lines, end + 1) };
}

function bodyOf(lines: readonly string[], from: number): Pick<MarkdownFile, "body" | "bodyLine"> {
  const blank = lines.slice(from).findIndex((line) => line.trim() !== "");
  return { body: lines.slice(from).join("\n").trim(), bodyLine: from + Math.max(0, blank) + 1 };
}

/** Parses a front matter as YAML, and invalid YAML leniently. Its first line is line 2 of the file. */
async function fieldsOf(lines: readonly string[]): Promise<Pick<MarkdownFile, "fields" | "flaws">> {
  const plain = plainFields(lines);
  if (plain) return { fields: plain, flaws: [] };
  const read = (await import("./yaml.ts")).yamlIn(lines.join("\n"));
  if ("fields" in read) return { fields: read.fields, flaws: [] };
  const message = `no valid YAML (${read.reason}), so it was read line by line`;
  return { fields: leniently(lines), flaws: [{ line: read.line, message }] };
}

/**
 * A line that YAML would parse as written: a key, and a value that starts with a letter or digit, has neither `: ` nor ` #`,
 * and does not end with a colon.
 */
const PLAIN = /^([A-Za-z][\w-]*): +([\p{L}\p{N}](?:(?!:(?: |$)| #)[^\p{C}])*)$/u;

/** Parses simple front matters without the YAML library; undefined for any other. */
function plainFields(lines: readonly string[]): Map<string, Field> | undefined {
  const fields = new Map<string, Field>();
  for (const [at, line] of lines.entries()) {
    const [, key, value] = PLAIN.exec(line) ?? [];
    if (key === undefined || value === undefined || fields.has(key)) return undefined;
    fields.set(key, { value: value.trimEnd(), line: at + 2 });
  }
  return fields;
}

/** Parses `key: value` lines with indented continuation lines; `|` and `>` work as in YAML. */
function leniently(lines: readonly string[]): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const [at, line] of lines.entries()) {
    const [, key, first = ""] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*)|$)/.exec(line) ?? [];
    if (key === undefined || fields.has(key)) continue;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((next) => /^\S/.test(next));
    const below = (end < 0 ? rest : rest.slice(0, end)).map((next) => next.trim());
    fields.set(key, { value: joined(first.trim(), below), line: at + 2 });
  }
  return fields;
}

function joined(first: string, below: readonly string[]): string {
  const block = /^([|>])[-+\d]*$/.exec(first)?.[1];
  if (block !== undefined) return below.join(block === "|" ? "\n" : " ").trim();
  const text = [first, ...below].filter((part) => part !== "").join(" ");
  return text.replace(/^(["'])([\s\S]*)\1$/, "$2");
}
