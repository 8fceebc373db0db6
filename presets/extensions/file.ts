import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import type { PresetPackage } from "@scorel/host/contract";
import { shipped } from "../composition/catalogue.ts";
import { errors } from "../errors.ts";
import { grammarKeys } from "../layers/merge.ts";
import { filesOf, type Project, userDir } from "../paths.ts";
import { assertPrivate, closeToOthers } from "../private-folder.ts";

/** A user's own plugin on disk, not loaded yet. */
export interface ExtensionFile {
  id: string;
  /** As people see it. */
  path: string;
  /** The file to load: of a trusted project, in the private copy. */
  file: string;
  /** Whose folder it is in; `preset`: that of a preset in use. */
  of: "user" | "project" | "preset";
  /** All that it may import files from: what was trusted, or the preset's folder. Absent for one of the user. */
  within?: string;
}

/** Something that was left out, and why. */
export interface Problem {
  origin: string;
  code: string;
  message: string;
}

const endings = [".ts", ".mts", ".js", ".mjs"];

/** What lies on disk. */
export interface Found {
  /** To be loaded; of one id the project's wins over the user's, and that over those of presets, the last first. */
  extensions: ExtensionFile[];
  /** Those of the same ids that are not loaded for it. */
  shadowed: ExtensionFile[];
  /** Ids whose files are not read, and why. */
  idle: { id: string; why: string }[];
  problems: Problem[];
}

/** Whether a plugin of Scorel with this id is left out, so that an extension may have the id. */
export type IsLeftOut = (id: string) => boolean;

/** Looks for extensions, also in presets that are folders; of a project that is not trusted only names are looked at. */
export function findExtensions(
  project: Project | undefined,
  packages: readonly PresetPackage[] = [],
  isLeftOut: IsLeftOut = () => false,
): Found {
  const found: Found = { extensions: [], shadowed: [], idle: [], problems: [] };
  for (const { root, folder } of packages) search(root, "preset", found, isLeftOut, folder);
  search(userDir(), "user", found, isLeftOut);
  if (project?.trusted) search(filesOf(project), "project", found, isLeftOut, project.dir);
  else if (project) found.idle.push(...idsIn(project.dir, "part of a project that is not trusted"));
  const byId = new Map(found.extensions.map((extension) => [extension.id, extension]));
  return {
    ...found,
    shadowed: found.extensions.filter((extension) => byId.get(extension.id) !== extension),
    extensions: [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    idle: found.idle.filter(({ id }) => !byId.has(id)),
  };
}

function search(parent: string, of: ExtensionFile["of"], found: Found, isLeftOut: IsLeftOut, shown = parent): void {
  const dir = join(parent, "extensions");
  if (!existsSync(dir)) return;
  try {
    for (const folder of [parent, dir]) {
      assertPrivate(folder);
      if (of === "user") closeToOthers(folder);
    }
    // What keeps a model within bounds is not replaced by a project.
    const isFree = (id: string) => isLeftOut(id) && !(of === "project" && shipped(id)?.guard);
    found.extensions.push(...distinct(entriesIn(dir), found.problems, isFree).map(asFile(of, parent, shown)));
  } catch (thrown) {
    found.problems.push(asProblem(dir, thrown));
    found.idle.push(...idsIn(parent, "in a folder that is not safe to load from"));
  }
}

const asFile = (of: ExtensionFile["of"], parent: string, shown: string) => (entry: Entry) => ({
  id: entry.id,
  path: shown + entry.path.slice(parent.length),
  file: entry.path,
  of,
  ...(of !== "user" && { within: parent }),
});

function idsIn(parent: string, why: string): { id: string; why: string }[] {
  return entriesIn(join(parent, "extensions")).map(({ id }) => ({ id, why }));
}

/** Leaves out ids that are taken: by a shipped plugin in use, by the grammar of config.toml, or by a neighbour. */
function distinct(entries: readonly Entry[], problems: Problem[], isFree: IsLeftOut): Entry[] {
  return entries.filter(({ id, path }, index) => {
    const twin = entries.slice(0, index).find((other) => other.id === id);
    const reason =
      shipped(id) && !isFree(id)
        ? `a plugin of Scorel has this id; rename the file or folder, or write without = ["${id}"] to use this one instead`
        : grammarKeys.includes(id)
          ? "config.toml uses this word itself; rename the file or folder"
          : twin && `${twin.path} has the same id; keep one of them`;
    if (reason) problems.push(asProblem(path, errors.EXTENSION_SHAPE({ id, file: path, reason })));
    return !reason;
  });
}

interface Entry {
  id: string;
  path: string;
}

function entriesIn(dir: string): Entry[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => entryOf(dir, entry));
}

function entryOf(dir: string, entry: Dirent): Entry[] {
  const path = join(dir, entry.name);
  const stats = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
  if (stats?.isDirectory()) {
    const index = endings.map((ending) => join(path, `index${ending}`)).find((file) => existsSync(file));
    return index ? [{ id: entry.name, path: index }] : [];
  }
  const { name, ext } = parse(entry.name);
  return stats?.isFile() && endings.includes(ext) && !name.endsWith(".d") ? [{ id: name, path }] : [];
}

/** A thrown coded error as data. */
export function asProblem(origin: string, thrown: unknown): Problem {
  const { code, message } = thrown as { code?: string; message?: string };
  return { origin, code: code ?? "EXTENSION_LOAD", message: message ?? String(thrown) };
}
