import { type Document, isMap, isScalar, LineCounter, type Pair, parseDocument, visit } from "yaml";

/** A front matter value and its line in the file, from 1. Scalars are strings. */
export interface Field {
  value: unknown;
  line: number;
}

/** Parses a front matter as YAML, with the line of each field; a reason if it is invalid. */
export function yamlIn(source: string): { fields: Map<string, Field> } | { line: number; reason: string } {
  const counter = new LineCounter();
  // The failsafe schema keeps all scalars as strings: no version becomes a number, no name a date or a boolean.
  const document = parseDocument(source, { lineCounter: counter, schema: "failsafe", prettyErrors: false });
  const lineAt = (offset = 0) => counter.linePos(offset).line + 1;
  const [error] = document.errors;
  const { contents } = document;
  if (error) return { line: lineAt(error.pos[0]), reason: firstLine(error) };
  if (contents === null) return { fields: new Map() };
  if (!isMap(contents)) return { line: 2, reason: "it is not a mapping" };
  if (aliasesIn(document) > ALIASES) return { line: 2, reason: "Excessive alias count: it refers to itself too often" };
  try {
    const value = document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>;
    const keys = (contents.items as Pair[]).flatMap(({ key }) => (isScalar(key) ? key : []));
    const rows = keys.map((key) => [String(key.value), lineAt(key.range?.[0])] as const);
    return { fields: new Map(rows.map(([key, line]) => [key, { value: value[key], line }])) };
  } catch (thrown) {
    return { line: 2, reason: firstLine(thrown as Error) };
  }
}

/** Maximum number of aliases. They are counted before they are expanded, because expanding many could take long. */
const ALIASES = 10;

function aliasesIn(document: Document): number {
  let count = 0;
  visit(document, { Alias: () => void count++ });
  return count;
}

function firstLine({ message }: Error): string {
  return message.split("\n")[0] as string;
}
