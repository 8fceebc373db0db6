import { basename } from "node:path";
import type { SharedFiles } from "@scorel/host/contract";
import { newId } from "@scorel/kernel";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import { findEntry, projectOf } from "./book.ts";
import type { Project } from "./contract.ts";
import { errors } from "./errors.ts";
import { changed, type Entry, readEntries } from "./file.ts";

/** Returns a directory's project and registers it if necessary. A worktree has the project of its checkout. */
export async function register(files: SharedFiles, path: string, place: string, name?: string): Promise<Project> {
  const directory = projectPlace(place);
  const known = readEntries(path).find((entry) => entry.directory === directory);
  if (known && known.removedAt === undefined && name === undefined) return projectOf(known);
  return projectOf(await changeEntries(files, path, (entries) => withProject(entries, directory, name)));
}

/** Removes a project from the list. */
export async function remove(files: SharedFiles, path: string, named: string, cwd: string): Promise<Project> {
  const { projectId } = findEntry(readEntries(path), named, cwd);
  const changing = changeEntries(files, path, (entries) => {
    const entry = entries.find((each) => each.projectId === projectId);
    if (!entry) throw errors.PROJECT_UNKNOWN({ named });
    const removed = { ...entry, removedAt: Date.now() };
    return { entry: removed, entries: replaced(entries, removed) };
  });
  return projectOf(await changing);
}

interface Changed {
  entry: Entry;
  entries: Entry[];
}

/** Changes the entries while holding the file's lock. Returns the entry concerned. */
export async function changeEntries(
  files: SharedFiles,
  path: string,
  change: (entries: readonly Entry[]) => Changed,
): Promise<Entry> {
  let entry: Entry | undefined;
  await files.changeFile(path, (text) =>
    changed(path, text, (entries) => {
      const made = change(entries);
      entry = made.entry;
      return made.entries;
    }),
  );
  return entry as Entry;
}

/** Replaces the entry with the same id, or appends it. */
export function replaced(entries: readonly Entry[], entry: Entry): Entry[] {
  const at = entries.findIndex(({ projectId }) => projectId === entry.projectId);
  return at < 0 ? [...entries, entry] : entries.with(at, entry);
}

/** Creates an entry for a directory. */
export function newEntry(directory: string, name = basename(directory) || directory): Entry {
  return { projectId: newId(), name, directory, createdAt: Date.now() };
}

function withProject(entries: readonly Entry[], directory: string, name: string | undefined): Changed {
  const known = entries.find((each) => each.directory === directory);
  const { removedAt: _back, ...entry } = { ...(known ?? newEntry(directory)), ...(name !== undefined && { name }) };
  return { entry, entries: replaced(entries, entry) };
}
