import { isAbsolute } from "node:path";
import type { SharedFiles } from "@scorel/host/contract";
import { settledPath } from "@scorel/kit/files/visible";
import { containing, findEntry, projectOf } from "./book.ts";
import type { Project } from "./contract.ts";
import type { Entry } from "./file.ts";
import { changeEntries, newEntry, replaced } from "./register.ts";

/** Records that a project, or a directory in it, has moved. `from` is an id, a name or the old directory. */
export async function move(files: SharedFiles, path: string, from: string, to: string): Promise<Project> {
  const changing = changeEntries(files, path, (entries) => {
    const place = isAbsolute(from) ? placeIn(entries, from) : undefined;
    const project = place === undefined ? findEntry(entries, from, "/") : entryToMove(entries, place);
    const old = place ?? project.directory;
    const isWhole = old === project.directory;
    const taken = entries.find(({ directory, projectId }) => directory === to && projectId !== project.projectId);
    const entry: Entry = {
      ...project,
      ...(isWhole && { directory: to }),
      moves: [...(project.moves ?? []), ...(taken?.moves ?? []), { from: old, to, until: Date.now() }],
      ...(taken && { merged: [...(project.merged ?? []), taken.projectId, ...(taken.merged ?? [])] }),
    };
    return { entry, entries: replaced(entries, entry).filter(({ projectId }) => projectId !== taken?.projectId) };
  });
  return projectOf(await changing);
}

/** Returns the entry for a directory. An unregistered one gets a new entry, since old sessions may use it. */
function entryToMove(entries: readonly Entry[], directory: string): Entry {
  return containing(entries, directory) ?? newEntry(directory);
}

/** The old directory as sessions have it: they have no links in their paths, but a person may name it through one. */
function placeIn(entries: readonly Entry[], directory: string): string {
  return containing(entries, directory) ? directory : (settledPath(directory) ?? directory);
}
