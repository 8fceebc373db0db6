import { createHash } from "node:crypto";

/** Providers accept names of at most 64 letters, digits, dashes and underscores. */
const LONGEST = 64;
const HASH_LENGTH = 6;

/** Maps the server's own name of each tool to the name that the model sees, `mcp__server__tool`. */
export function toolNames(server: string, tools: readonly string[]): Map<string, string> {
  const prefix = `mcp__${server}__`;
  const room = LONGEST - prefix.length;
  const plain = new Set(tools.filter((name) => clean(name) === name && name.length <= room));
  const names = new Map<string, string>();
  const own = new Set(tools);
  const uses = new Map<string, number>();
  for (const name of own) uses.set(clean(name), (uses.get(clean(name)) ?? 0) + 1);
  for (const name of own) {
    const cleaned = clean(name);
    const isTaken = plain.has(cleaned) || uses.get(cleaned) !== 1;
    const isOwn = plain.has(name) || (cleaned.length <= room && !isTaken);
    names.set(name, prefix + (isOwn ? cleaned : marked(cleaned, name, room)));
  }
  return names;
}

const clean = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, "_");

/** Shortens a name, and appends a hash of the full name, so that the result does not depend on the other tools. */
function marked(cleaned: string, name: string, room: number): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  return `${cleaned.slice(0, room - HASH_LENGTH - 1)}_${hash}`;
}

/** Whether the patterns in `only` match a tool. `*` stands for any characters. */
export function isChosen(name: string, only: readonly string[] | undefined): boolean {
  return only === undefined || only.some((pattern) => fits(name, pattern));
}

function fits(name: string, pattern: string): boolean {
  const parts = pattern.split("*");
  const [first = ""] = parts;
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
