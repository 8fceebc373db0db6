import { sha256Of } from "@scorel/kit/files/hash";
import { isTable, type Table } from "@scorel/kit/values/table";
import type { ListedTool } from "../wire/inventory.ts";

/** Most characters of the arguments and of the description that are kept, and of each side of a comparison. */
const MOST_ARGUMENTS = 15_000;
const MOST_DESCRIBED = 5_000;
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

/**
 * The text about a tool for people. It begins with the arguments, since a long description could push them out of sight. What is not kept
 * is represented by its hash: the model may read it, so a change of it must be seen.
 */
export function wordsOf({ title, description = "", inputSchema }: ListedTool): string {
  const { properties, ...rest } = sorted(inputSchema) as Table;
  const args = Object.entries(isTable(properties) ? properties : {}).map(
    ([name, schema]) => `argument ${name}: ${JSON.stringify(schema)}`,
  );
  const [given, moreGiven] = kept([...args, `arguments: ${JSON.stringify(rest)}`].join("\n"), MOST_ARGUMENTS);
  const [said, moreSaid] = kept(title === undefined ? description : `${title}\n${description}`, MOST_DESCRIBED);
  return [given, said, ...moreGiven, ...moreSaid].join("\n");
}

/** The beginning of a text, and a line with the hash of the rest. */
function kept(text: string, most: number): [beginning: string, more: string[]] {
  const rest = text.slice(most);
  const more = rest === "" ? [] : [`(${rest.length} more characters with the SHA-256 hash ${sha256Of(rest)})`];
  return [text.slice(0, most), more];
}

/**
 * Shows a change to people: the lines that differ, from shortly before the difference. Says how much is left out. `redact` removes secrets
 * from whole texts, before parts of them are shown.
 */
export function shownChange(change: Change, redact: (text: string) => string): string {
  const now = redact(change.now);
  const was = typeof change.was === "string" ? redact(change.was) : change.was;
  if (was === undefined) return `It says of itself:\n${together(now.split("\n").map(cut))}`;
  if (was === null)
    return `It says of itself, and its earlier words were not kept:\n${together(now.split("\n").map(cut))}`;
  const [before, after] = [linesOf(was), linesOf(now)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  if (keys.length === 0)
    return `What has changed is in a part that is too long to be shown. It says of itself:\n${together(now.split("\n").map(cut))}`;
  const side = (own: Lines, other: Lines) =>
    together(keys.flatMap((key) => (own.has(key) ? [around(own.get(key) ?? "", other.get(key) ?? "")] : [])));
  return `It said of itself:\n${side(before, after)}\n\nIt now says:\n${side(after, before)}`;
}

/** All lines, keyed by the argument that they describe or by their position. */
type Lines = ReadonlyMap<string, string>;

function linesOf(text: string): Lines {
  const uses = new Map<string, number>();
  const keyed = text.split("\n").map((line): [string, string] => {
    const key = /^argument [^:]*:/.exec(line)?.[0] ?? "";
    const use = uses.get(key) ?? 0;
    uses.set(key, use + 1);
    // A line of the description may look like that of an argument, and must not stand for it.
    return [`${key} ${use}`, line];
  });
  return new Map(keyed);
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
