import { isMap, isScalar, LineCounter, type Pair, parseDocument } from "yaml";

/** A value of a front matter, and the line of the file that it begins in, from 1. Scalars are texts. */
export interface Field {
  value: unknown;
  line: number;
}
export interface Flaw {
  line: number;
  message: string;
}
/** A SKILL.md taken apart. */
export interface SkillText {
  fields: ReadonlyMap<string, Field>;
  /** Without blank lines around it. */
  body: string;
  /** The line that the body begins in. */
  bodyLine: number;
  /** What had to be read leniently. */
  flaws: readonly Flaw[];
}

/** Reads the text of a SKILL.md: YAML between two lines `---`, then Markdown. Answers a reason when that has no end. */
export function parseSkillText(given: string): SkillText | { reason: string } {
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
  return { ...fieldsOf(lines.slice(1, end)), ...bodyOf(lines, end + 1) };
}

function bodyOf(lines: readonly string[], from: number): Pick<SkillText, "body" | "bodyLine"> {
  const blank = lines.slice(from).findIndex((line) => line.trim() !== "");
  return { body: lines.slice(from).join("\n").trim(), bodyLine: from + Math.max(0, blank) + 1 };
}

/** As YAML; where it is none, as people mean it. The first line of the matter is the second of the file. */
function fieldsOf(lines: readonly string[]): Pick<SkillText, "fields" | "flaws"> {
  const read = yamlIn(lines.join("\n"));
  if ("fields" in read) return { fields: read.fields, flaws: [] };
  const message = `no valid YAML (${read.reason}), so it was read line by line`;
  return { fields: leniently(lines), flaws: [{ line: read.line, message }] };
}

function yamlIn(source: string): { fields: Map<string, Field> } | { line: number; reason: string } {
  const counter = new LineCounter();
  // Only texts, lists and maps: no name or version is ever taken for a number, a date or a truth value.
  const document = parseDocument(source, { lineCounter: counter, schema: "failsafe", prettyErrors: false });
  const lineAt = (offset = 0) => counter.linePos(offset).line + 1;
  const [error] = document.errors;
  const { contents } = document;
  if (error) return { line: lineAt(error.pos[0]), reason: firstLine(error) };
  if (contents === null) return { fields: new Map() };
  if (!isMap(contents)) return { line: 2, reason: "it is no map of keys" };
  try {
    const value = document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>;
    const keys = (contents.items as Pair[]).flatMap(({ key }) => (isScalar(key) ? key : []));
    const rows = keys.map((key) => [String(key.value), lineAt(key.range?.[0])] as const);
    return { fields: new Map(rows.map(([key, line]) => [key, { value: value[key], line }])) };
  } catch (thrown) {
    return { line: 2, reason: firstLine(thrown as Error) };
  }
}

function firstLine({ message }: Error): string {
  return message.split("\n")[0] as string;
}

/** `key: value` to the end of the line, whatever it holds, with the indented lines below it; `|` and `>` as in YAML. */
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
