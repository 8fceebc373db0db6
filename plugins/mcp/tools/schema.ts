import { beginningOf, wellFormed } from "@scorel/kit/text/cut";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { plainText } from "@scorel/kit/text/plain";
import { isTable, type Table } from "@scorel/kit/values/table";

/** Most characters of a tool's schema as JSON, and of one description. */
const MOST_SCHEMA = 50_000;
const MOST_DESCRIPTION = 4_000;
const MOST_LEVELS = 30;

/** Keywords whose value is a table of schemas with arbitrary keys. */
const BY_NAME = new Set(["properties", "$defs", "definitions"]);
/** Keywords whose value is data and not a schema. It is kept unchanged. */
const VALUES = new Set(["const", "enum", "default", "examples", "required"]);

/**
 * Prepares a server's schema for the model: without control characters, and without `pattern`, since arguments are validated in this
 * process and an untrusted regular expression may take forever. Throws an error with the reason.
 */
export function readSchema(schema: unknown): Record<string, unknown> {
  if (!isTable(schema)) throw new Error("its schema is not an object");
  const text = JSON.stringify(schema);
  if (text.length > MOST_SCHEMA) throw new Error(`its schema has more than ${MOST_SCHEMA} characters`);
  if (isDeeper(text, MOST_LEVELS)) throw new Error("its schema is nested too deeply");
  return { ...(cleaned(intact(schema)) as Table), type: "object" };
}

/** Makes all texts well-formed, names of properties included: providers refuse a whole request for half a character. */
function intact(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(intact);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [wellFormed(key), intact(part)]));
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isTable(value)) return value;
  const { pattern, patternProperties: _, ...rest } = value;
  const kept = Object.entries(rest).map(([key, part]) => [key, partOf(key, part)]);
  const made = Object.fromEntries(kept) as Table;
  if (typeof made.$ref === "string") requireSchemaAt(made.$ref);
  return typeof pattern === "string" ? { ...made, description: withPattern(made.description, pattern) } : made;
}

function partOf(key: string, part: unknown): unknown {
  if (VALUES.has(key)) return part;
  if (!BY_NAME.has(key) || !isTable(part)) return cleaned(part);
  return Object.fromEntries(Object.entries(part).map(([name, schema]) => [name, cleaned(schema)]));
}

/**
 * Throws an error if a reference leads to data, such as an example. Data is kept unchanged, so what a server hides there would become a
 * schema with a pattern.
 */
function requireSchemaAt(reference: string): void {
  let isName = false;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeURIComponent(step);
    if (!isName && VALUES.has(key)) throw new Error(`its reference ${reference} leads to data and not to a schema`);
    isName = !isName && BY_NAME.has(key);
  }
}

/** Appends the pattern to the description, so that the model knows it. */
function withPattern(description: unknown, pattern: string): string {
  const said = `Pattern: ${beginningOf(plainText(pattern), 200)}`;
  return typeof description === "string" && description !== "" ? `${description} (${said})` : said;
}

/** Prepares a tool's description for the model. */
export function readDescription(text: string | undefined, name: string): string {
  const plain = wellFormed(plainText(text ?? "")).trim();
  if (plain === "") return wellFormed(plainText(name));
  return plain.length <= MOST_DESCRIPTION ? plain : `${beginningOf(plain, MOST_DESCRIPTION)}…`;
}
