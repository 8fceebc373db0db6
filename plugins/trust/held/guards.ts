import { existsSync, readFileSync } from "node:fs";
import type { ExtensionFile } from "@scorel/extensions/contract";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { changeTrust, type GuardEntry, readTrust, trustFile } from "../record/file.ts";

/** The recorded guards; none if nothing was recorded yet. Throws TRUST_FILE. */
export function knownGuards(): GuardEntry[] {
  return existsSync(trustFile()) ? Object.values(readTrust().guards ?? {}) : [];
}

/** The folder that contains the folder `extensions` with this extension; part of the key of its record. */
export function guardFolder({ of, path }: Pick<ExtensionFile, "of" | "path">): string {
  return of === "user" ? userDir() : path.slice(0, path.lastIndexOf("/extensions/"));
}

/** An extension that runs, and the hooks that it has critical layers on. */
export interface RunningGuard {
  file: ExtensionFile;
  hooks: ReadonlySet<string>;
}

/**
 * Records what running extensions guard. While an extension's file stays the same, hooks are only added to its record,
 * since it may guard in some projects only; the record of a changed file is replaced. Writes nothing if nothing
 * changed. Throws TRUST_FILE.
 */
export async function noteGuards(running: readonly RunningGuard[]): Promise<void> {
  const known = new Map(knownGuards().map((guard) => [keyOf(guard), guard]));
  const changed = running.flatMap((each) => {
    const now = entryOf(each, known);
    return now && JSON.stringify(now) !== JSON.stringify(known.get(keyOf(now))) ? [now] : [];
  });
  if (changed.length === 0) return;
  await changeTrust((record) => {
    record.guards = { ...record.guards };
    for (const guard of changed)
      if (guard.hooks.length > 0) record.guards[keyOf(guard)] = guard;
      else delete record.guards[keyOf(guard)];
  });
}

/** Forgets the records of guards that match. Returns whether there was one. Throws TRUST_FILE. */
export async function forgetGuards(isMeant: (guard: GuardEntry) => boolean): Promise<boolean> {
  const gone = knownGuards().filter(isMeant).map(keyOf);
  if (gone.length === 0) return false;
  await changeTrust((record) => {
    const kept = Object.entries(record.guards ?? {}).filter(([key]) => !gone.includes(key));
    record.guards = Object.fromEntries(kept);
  });
  return true;
}

/** The new record of a running extension; undefined if it guards nothing and nothing is recorded for it. */
function entryOf({ file, hooks }: RunningGuard, known: ReadonlyMap<string, GuardEntry>): GuardEntry | undefined {
  const { id, path } = file;
  const folder = guardFolder(file);
  const before = known.get(keyOf({ id, folder }));
  if (!before && hooks.size === 0) return undefined;
  const hash = sha256Of(readFileSync(file.file));
  const kept = before?.hash === hash ? before.hooks : [];
  return { id, folder, path, hash, hooks: [...new Set([...kept, ...hooks])].sort() };
}

const keyOf = ({ id, folder }: Pick<GuardEntry, "id" | "folder">) => `${folder}/${id}`;
