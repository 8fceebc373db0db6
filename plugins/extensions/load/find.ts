import { type Dirent, existsSync, readdirSync, type Stats, statSync } from "node:fs";
import { join, parse } from "node:path";
import { ifReadable } from "@scorel/kit/files/readable";
import type { ExtensionFile, ExtensionProblem, FoundExtensions } from "../contract.ts";
import { errors } from "../errors.ts";

/** A folder that may hold a folder `extensions`. */
export interface ExtensionParent {
  of: ExtensionFile["of"];
  /** The folder to read from; for a trusted project, its private copy. */
  path: string;
  /** The path to show for the folder. */
  shown: string;
}

/** Where to search for extensions, and which ids they must not have. */
export interface Search {
  /** If two folders have an extension with the same id, that of the later folder is used. */
  folders: readonly ExtensionParent[];
  /** The installed extensions, and problems with those that were changed since. An extension that the user wrote takes precedence. */
  installed?: Pick<FoundExtensions, "extensions" | "problems">;
  /** The folder of a project that is not trusted: only file names are read, to list them as unused. */
  untrusted?: string;
  /** Throws if another user could have put code into the folder. */
  assertSafe(folder: string, of: ExtensionFile["of"]): void;
  /** The reason why no extension may have this id; undefined when the id is free. */
  takenBy(id: string, of: ExtensionFile["of"]): string | undefined;
}

const endings = [".ts", ".mts", ".js", ".mjs"];

/** Finds the extensions on disk, without loading any. */
export function findExtensions(search: Search): FoundExtensions {
  const found: FoundExtensions = { extensions: [], shadowed: [], idle: [], problems: [] };
  for (const parent of search.folders) {
    if (parent.of === "user") addInstalled(search, found);
    searchFolder(parent, search, found);
  }
  if (search.untrusted !== undefined)
    found.idle.push(...idsIn(search.untrusted, "part of a project that is not trusted"));
  const byId = new Map(found.extensions.map((extension) => [extension.id, extension]));
  return {
    ...found,
    shadowed: found.extensions.filter((extension) => byId.get(extension.id) !== extension),
    extensions: [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    idle: found.idle.filter(({ id }) => !byId.has(id)),
  };
}

function addInstalled({ installed, takenBy }: Search, found: FoundExtensions): void {
  found.problems.push(...(installed?.problems ?? []));
  for (const extension of installed?.extensions ?? []) {
    const { id, path, of } = extension;
    const reason = takenBy(id, of);
    if (reason === undefined) found.extensions.push(extension);
    else found.problems.push(asProblem(path, errors.EXTENSION_SHAPE({ id, file: path, reason }), id));
  }
}

function searchFolder(parent: ExtensionParent, { assertSafe, takenBy }: Search, found: FoundExtensions): void {
  const { of, path } = parent;
  const dir = join(path, "extensions");
  if (!existsSync(dir)) return;
  try {
    for (const folder of [path, dir]) assertSafe(folder, of);
    const isTaken = (id: string) => takenBy(id, of);
    found.problems.push(...overlooked(dir));
    found.extensions.push(...distinct(entriesIn(dir), found.problems, isTaken).map(asFile(parent)));
  } catch (thrown) {
    found.problems.push(asProblem(dir, thrown));
    found.idle.push(...idsIn(path, "in a folder that is not safe to load from"));
  }
}

const asFile =
  ({ of, path, shown }: ExtensionParent) =>
  (entry: Entry): ExtensionFile => ({
    id: entry.id,
    path: shown + entry.path.slice(path.length),
    file: entry.path,
    of,
    ...(of !== "user" && { within: path }),
  });

function idsIn(parent: string, why: string): { id: string; why: string }[] {
  const entries = ifReadable(() => entriesIn(join(parent, "extensions"))) ?? [];
  return entries.map(({ id }) => ({ id, why }));
}

/** Leaves out extensions whose id is used by a shipped plugin, or by another extension in the same folder. */
function distinct(
  entries: readonly Entry[],
  problems: ExtensionProblem[],
  takenBy: (id: string) => string | undefined,
): Entry[] {
  return entries.filter(({ id, path }, index) => {
    const twin = entries.slice(0, index).find((other) => other.id === id);
    const reason = takenBy(id) ?? (twin && `${twin.path} has the same id; keep one of them`);
    if (reason) problems.push(asProblem(path, errors.EXTENSION_SHAPE({ id, file: path, reason }), id));
    return !reason;
  });
}

interface Entry {
  id: string;
  path: string;
}

function entriesIn(dir: string): Entry[] {
  return direntsIn(dir).flatMap((entry) => entryOf(dir, entry));
}

function direntsIn(dir: string): Dirent[] {
  if (!statsOf(dir)?.isDirectory()) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Problems with files and folders that look like an extension, but have an ending or lack an index file so that they are not one. */
function overlooked(dir: string): ExtensionProblem[] {
  return direntsIn(dir).flatMap((entry) => {
    const path = join(dir, entry.name);
    const reason = entry.isDirectory() ? flawOfFolder(path) : flawOfFile(entry.name);
    const { name: id } = parse(entry.name);
    return reason === undefined ? [] : [asProblem(path, errors.EXTENSION_SHAPE({ id, file: path, reason }), id)];
  });
}

/** The endings of code that the loader does not take as an extension. */
const otherEndings = [".cts", ".tsx", ".cjs", ".jsx"];

function flawOfFile(name: string): string | undefined {
  const { ext } = parse(name);
  if (!otherEndings.includes(ext) || /\.d\.cts$/.test(name)) return undefined;
  return `an extension ends with ${endings.join(", ")}, not ${ext}; rename the file`;
}

/** A folder without an index file may hold files that extensions import. One with a package.json is meant as an extension. */
function flawOfFolder(path: string): string | undefined {
  const has = (name: string) => existsSync(join(path, name));
  if (endings.some((ending) => has(`index${ending}`))) return undefined;
  if (!["package.json", ...otherEndings.map((ending) => `index${ending}`)].some(has)) return undefined;
  return `the folder has none of ${endings.map((ending) => `index${ending}`).join(", ")}; one of them must export the plugin`;
}

function entryOf(dir: string, entry: Dirent): Entry[] {
  const path = join(dir, entry.name);
  const stats = entry.isSymbolicLink() ? statsOf(path) : entry;
  if (stats?.isDirectory()) {
    const index = endings.map((ending) => join(path, `index${ending}`)).find((file) => existsSync(file));
    return index ? [{ id: entry.name, path: index }] : [];
  }
  const { name, ext } = parse(entry.name);
  return stats?.isFile() && endings.includes(ext) && !name.endsWith(".d") ? [{ id: name, path }] : [];
}

/** The stats of a path; undefined if it does not exist. A link that cannot be followed leads to no file, like one whose target is missing. */
function statsOf(path: string): Stats | undefined {
  return ifReadable(() => statSync(path));
}

/** Converts a thrown error to a problem that can be shown, with the id of the extension it is about, if it is about one. */
export function asProblem(origin: string, thrown: unknown, plugin?: string): ExtensionProblem {
  const { code, message } = thrown as { code?: string; message?: string };
  const about = plugin === undefined ? {} : { plugin };
  return { ...about, origin, code: code ?? "EXTENSION_LOAD", message: message ?? String(thrown) };
}
