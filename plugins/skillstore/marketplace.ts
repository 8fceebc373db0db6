import { lstatSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { isBelow } from "./repository.ts";

/** Where a repository lists its plugins for Claude Code; only read as data. */
export const MARKETPLACE = ".claude-plugin/marketplace.json";
const LARGEST = 256 * 1024;

const MOST = 200;

/** A plugin in a marketplace. */
export interface ListedPlugin {
  name: string;
  /** Its folder relative to the marketplace; "" for all of it. */
  path?: string;
  /** Why it cannot be found there: the name of another repository, or of a missing folder. */
  elsewhere?: string;
}

/** The plugins that a folder's marketplace lists; empty without a readable marketplace. */
export function pluginsIn(folder: string): ListedPlugin[] {
  const file = join(folder, MARKETPLACE);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > LARGEST) return [];
  const { plugins, metadata } = tableIn(jsonIn(readFileSync(file, "utf8")));
  const root = textIn(tableIn(metadata).pluginRoot) ?? "";
  const rows = Array.isArray(plugins) ? plugins.slice(0, MOST) : [];
  return rows.flatMap((row) => pluginIn(tableIn(row), root, folder));
}

function pluginIn({ name: given, source }: Record<string, unknown>, root: string, folder: string): ListedPlugin[] {
  const [name, path] = [textIn(given), textIn(source)];
  if (name === undefined) return [];
  const { repo, url } = tableIn(source);
  if (path === undefined) return [{ name, elsewhere: textIn(repo) ?? textIn(url) ?? "another place" }];
  const below = posix.normalize(posix.join(root, path)).replace(/^\.\/?|\/+$/g, "");
  if (below !== "" && !isBelow(below)) return [{ name, elsewhere: `${path}, which is not below the marketplace` }];
  const isThere = below === "" || lstatSync(join(folder, below), { throwIfNoEntry: false })?.isDirectory();
  return [{ name, path: below, ...(!isThere && { elsewhere: `${path}, a folder that is missing` }) }];
}

function tableIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** A text that is short enough to show. */
function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= 200 ? value : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not a valid marketplace; the folder is searched like any other.
  }
}
