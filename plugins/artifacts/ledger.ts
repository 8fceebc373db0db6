import type { ArtifactVersion } from "./contract.ts";

/** The history of artifacts: saved versions and removed names, in order. */
export type Entry = ArtifactVersion | { removed: string };

/** The listed versions by name, oldest first. */
export function versionsByName(entries: Iterable<Entry>): Map<string, ArtifactVersion[]> {
  const found = new Map<string, ArtifactVersion[]>();
  for (const entry of entries) {
    if ("removed" in entry) {
      found.delete(entry.removed);
      continue;
    }
    const versions = found.get(entry.name);
    if (versions) versions.push(entry);
    else found.set(entry.name, [entry]);
  }
  return found;
}

/** The number of the next version; numbers of removed artifacts are not reused. */
export function nextVersion(entries: Iterable<Entry>, name: string): number {
  let next = 0;
  for (const entry of entries) if (!("removed" in entry) && entry.name === name) next = entry.version + 1;
  return next;
}
