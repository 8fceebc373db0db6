import { isAbsolute } from "node:path";
import type { SharedFiles } from "@scorel/host/contract";
import { containing, findEntry, projectOf } from "./book.ts";
import type { Project } from "./contract.ts";
import type { Entry } from "./file.ts";
import { changeEntries, newEntry, replaced } from "./register.ts";

/** Records that a project, or a directory in it, has moved. `from` is an id, a name or the old directory. */
export async function move(files: SharedFiles, path: string, from: string, to: string): Promise<Project> {
  const changing = changeEntries(files, path, (entries) => {
    const project = entryToMove(entries, from);
    const old = isAbsolute(from) ? from : project.directory;
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

/** Returns the entry for `from`. An unregistered directory gets a new one, since old sessions may use it. */
function entryToMove(entries: readonly Entry[], from: string): Entry {
  return isAbsolute(from) ? (containing(entries, from) ?? newEntry(from)) : findEntry(entries, from, "/");
}
