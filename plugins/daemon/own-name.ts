import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { holderOf, isHeld, tryLock } from "@scorel/kit/files/lock";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { StateFolder } from "@scorel/kit/files/state-folder";
import { runFolder } from "./run-folder.ts";

/** Processes of one kind that get names of their own. */
const MOST = 99;
/** The ending of the files that say which process has a name. */
const ENDING = ".name";
/** Time after which the name of a process that has ended is given to another one. */
const REST_MS = 60 * 60_000;

/**
 * Claims a name that no other process of this home has, nor had within the last hour: `terminal`, `terminal-2`. The process has it at
 * every host, so that it keeps its name when a session moves from one host to another, and nobody else gets it there. `ended` says that
 * the process ends now. Without a folder for the claim, the name is as given, and each host adds its own number.
 */
export function claimName(given: string): { name: string; ended(): void } {
  try {
    makePrivate(runFolder());
    for (let number = 1; number <= MOST; number++) {
      const name = number === 1 ? given : `${given}-${number}`;
      const path = join(runFolder(), name + ENDING);
      if (isResting(path)) continue;
      const lock = tryLock(path);
      if (lock && "release" in lock) return { name, ended: () => lock.holds() && touch(path) };
    }
  } catch {
    // A home that cannot be written is told by whatever has to write there.
  }
  return { name: given, ended() {} };
}

/** Names of the files that claim names for processes which have ended. */
export function leftNames(folder: Pick<StateFolder, "names" | "at">): string[] {
  return folder.names().filter((file) => {
    const path = folder.at(file);
    const holder = file.endsWith(ENDING) ? holderOf(path) : undefined;
    return holder !== undefined && !isHeld(path, holder);
  });
}

/** Whether the process that had a name has ended a short while ago: others may still show what it said. */
function isResting(path: string): boolean {
  const holder = holderOf(path);
  if (!holder || isHeld(path, holder)) return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < REST_MS;
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody has removed the file: the name is free then.
  }
}
