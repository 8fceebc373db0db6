import { basename } from "node:path";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { inOwnFolder, inStateFolder, isOwnFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { isRunning, type ProcessIdentity } from "@scorel/kit/process/identity";
import { removeSocketOf, runFolder, socketOf } from "./run-folder.ts";

/** The ending of the files that contain the process of a socket: the socket's own name is a hash, which does not reveal the process. */
export const OWNER = ".process";

/** Writes down which process a socket belongs to, so that others can remove it once that process is gone. */
export function nameOwner(process: ProcessIdentity): void {
  inOwnFolder(runFolder(), (folder) => replaceFile(folder.at(ownerFile(process)), JSON.stringify(process)));
}

/** Removes the file that contains the process of a socket. */
export function forgetOwner(process: ProcessIdentity): void {
  removeStateFile(runFolder(), ownerFile(process));
}

/**
 * Removes the sockets of processes that are gone; a killed process could not do so itself. A process is gone when its pid is unused or
 * belongs to a process with another start time, or the computer was restarted since. Sockets of other computers and containers are left
 * alone. Several processes may do this at once: the names are unique to a process, so none removes the socket of a starting one.
 */
export function removeLeftSockets(failed: (thrown: unknown) => void): void {
  try {
    for (const process of owners())
      if (!isRunning(process)) {
        // The socket first: as long as the file exists, the socket is found again if this process ends in between.
        removeSocketOf(process);
        forgetOwner(process);
      }
  } catch (thrown) {
    failed(thrown);
  }
}

/** The names of the files whose processes are gone. */
export function leftOwners(): string[] {
  return owners().flatMap((process) => (isRunning(process) ? [] : ownerFile(process)));
}

/** The name of the file that contains the process of a socket. */
function ownerFile(process: ProcessIdentity): string {
  return basename(socketOf(process)).replace(/\.sock$/, OWNER);
}

/** The processes that have such files in the run folder. Other files, and files whose name does not fit their content, are ignored. */
function owners(): ProcessIdentity[] {
  if (!isOwnFolder(runFolder())) return [];
  const found = inStateFolder(runFolder(), (folder) => {
    const names = folder.names().filter((name) => name.endsWith(OWNER));
    return names.flatMap((name) => {
      const process = identityIn(readIfPresent(folder.at(name)));
      return process && ownerFile(process) === name ? process : [];
    });
  });
  return found ?? [];
}

function identityIn(text: string | undefined): ProcessIdentity | undefined {
  try {
    const { pid, start, boot, space, machine } = JSON.parse(text ?? "") as Record<string, unknown>;
    const isWhole =
      Number.isSafeInteger(pid) && [start, boot, space, machine].every((each) => typeof each === "string");
    return isWhole ? ({ pid, start, boot, space, machine } as ProcessIdentity) : undefined;
  } catch {
    return undefined;
  }
}
