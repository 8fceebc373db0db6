import { isTable, type Table } from "@scorel/kit/values/table";
import type { ListedTool } from "../wire/inventory.ts";

/** Most characters of a description, of the whole text about a tool, and of each side of a comparison. */
const MOST_DESCRIBED = 5_000;
const MOST_KEPT = 20_000;
const MOST_SHOWN = 1_800;
/** Most characters of one changed line, and characters around a change that show where it is. */
const MOST_LINE = 700;
const CONTEXT = 200;

/** The current description of a tool, and the accepted one. */
export interface Change {
  /** Undefined for a tool that was never accepted; null if only its hash was stored. */
  was: string | null | undefined;
  now: string;
}

/** The text about a tool for people. It begins with the arguments, since a long description could push them out of sight. */
export function wordsOf({ title, description = "", inputSchema }: ListedTool): string {
  const { properties, ...rest } = sorted(inputSchema) as Table;
  const args = Object.entries(isTable(properties) ? properties : {}).map(
    ([name, schema]) => `argument ${name}: ${JSON.stringify(schema)}`,
  );
  const head = (title === undefined ? description : `${title}\n${description}`).slice(0, MOST_DESCRIBED);
  return [...args, `arguments: ${JSON.stringify(rest)}`, head].join("\n").slice(0, MOST_KEPT);
}

/** Shows a change to people: the lines that differ, from shortly before the difference. Says how much is left out. */
export function shownChange({ was, now }: Change): string {
  if (was === undefined) return `It says of itself:\n${together(now.split("\n").map(cut))}`;
  if (was === null)
    return `It says of itself, and its earlier words were not kept:\n${together(now.split("\n").map(cut))}`;
  const [before, after] = [linesOf(was), linesOf(now)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  const side = (own: Lines, other: Lines) =>
    together(keys.flatMap((key) => (own.has(key) ? [around(own.get(key) ?? "", other.get(key) ?? "")] : [])));
  return `It said of itself:\n${side(before, after)}\n\nIt now says:\n${side(after, before)}`;
}

/** Lines, keyed by the argument that they describe or by their position. */
type Lines = ReadonlyMap<string, string>;

function linesOf(text: string): Lines {
  let place = 0;
  return new Map(text.split("\n").map((line) => [/^argument [^:]*:/.exec(line)?.[0] ?? String(place++), line]));
}

/** The part of a line that differs from another line, with a little context. */
function around(line: string, other: string): string {
  const most = Math.min(line.length, other.length);
  let start = 0;
  while (start < most && line[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && line.at(-1 - end) === other.at(-1 - end)) end++;
  const from = Math.max(0, start - CONTEXT);
  const to = Math.min(line.length, line.length - end + CONTEXT);
  const part = cut(line.slice(from, to));
  return `${from > 0 ? "…" : ""}${part}${to < line.length ? "…" : ""}`;
}

function together(lines: readonly string[]): string {
  const shown: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (size + line.length > MOST_SHOWN) break;
    shown.push(line);
    size += line.length;
  }
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`(${left} more ${left === 1 ? "line is" : "lines are"} not shown)`] : [])].join(
    "\n",
  );
}

function cut(text: string): string {
  const more = text.length - MOST_LINE;
  return more <= 0 ? text : `${text.slice(0, MOST_LINE)}… (${more} more characters are not shown)`;
}

/** A copy in which the keys of all objects are sorted, since a server may list them in any order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])])) as Table;
}
