import { isTable, type Table } from "@scorel/kit/values/table";
import type { ListedTool } from "../wire/inventory.ts";

/** Characters of a tool's words that are kept, and of each text in a comparison. */
const MOST_KEPT = 8_000;
const MOST_SHOWN = 1_200;
/** Characters before the first difference that a comparison shows. */
const CONTEXT = 200;

/** What a tool says of itself now, and what it said when it was accepted. */
export interface Change {
  /** Undefined for a tool that was never accepted; null if only a hash of its words was kept. */
  was: string | null | undefined;
  now: string;
}

/** All that a server says of a tool, as people read it. */
export function wordsOf({ title, description = "", inputSchema }: ListedTool): string {
  const { properties, ...rest } = sorted(inputSchema) as Table;
  const args = Object.entries(isTable(properties) ? properties : {}).map(
    ([name, schema]) => `argument ${name}: ${JSON.stringify(schema)}`,
  );
  const head = title === undefined ? description : `${title}\n${description}`;
  return [head, ...args, `arguments: ${JSON.stringify(rest)}`].join("\n").slice(0, MOST_KEPT);
}

/** Both texts of a change for people, from shortly before the place where they begin to differ. */
export function shownChange({ was, now }: Change): string {
  if (was === undefined) return `It says of itself:\n${now.slice(0, MOST_SHOWN)}`;
  if (was === null) return `It says of itself, and its earlier words were not kept:\n${now.slice(0, MOST_SHOWN)}`;
  let same = 0;
  while (same < was.length && was[same] === now[same]) same++;
  const from = Math.max(0, same - CONTEXT);
  const part = (text: string) =>
    `${from > 0 ? "…" : ""}${text.slice(from, from + MOST_SHOWN)}${text.length > from + MOST_SHOWN ? "…" : ""}`;
  return `It said of itself:\n${part(was)}\n\nIt now says:\n${part(now)}`;
}

/** The value with the keys of its objects in order, since a server may write them in any. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])])) as Table;
}
