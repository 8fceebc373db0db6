import type { ArtifactVersion } from "./contract.ts";

/** What is known of artifacts, one after the other: a version saved, or a name taken off the list. */
export type Entry = ArtifactVersion | { removed: string };

/** The versions on the list, by name, each in the order in which they were saved. */
export function standing(entries: Iterable<Entry>): Map<string, ArtifactVersion[]> {
  const found = new Map<string, ArtifactVersion[]>();
  for (const entry of entries) {
    if ("removed" in entry) found.delete(entry.removed);
    else found.set(entry.name, [...(found.get(entry.name) ?? []), entry]);
  }
  return found;
}

/** The number that the next version gets: those of a removed artifact are not given again. */
export function nextVersion(entries: Iterable<Entry>, name: string): number {
  let next = 0;
  for (const entry of entries) if (!("removed" in entry) && entry.name === name) next = entry.version + 1;
  return next;
}
