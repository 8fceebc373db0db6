import { basename } from "node:path";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { inOwnFolder, inStateFolder, isOwnFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { isRunning, type ProcessIdentity } from "@scorel/kit/process/identity";
import { removeSocketOf, runFolder, socketOf } from "./run-folder.ts";

/** The ending of the files that name the process of a socket: the socket's own name is a hash, from which no process can be told. */
export const OWNER = ".process";

/** Says which process a socket belongs to, so that others can remove it once that process is gone. */
export function nameOwner(process: ProcessIdentity): void {
  inOwnFolder(runFolder(), (folder) => replaceFile(folder.at(ownerFile(process)), JSON.stringify(process)));
}

export function forgetOwner(process: ProcessIdentity): void {
  removeStateFile(runFolder(), ownerFile(process));
}

/**
 * Removes the sockets of processes that are gone: killed ones could not do it themselves. A process is gone when its pid belongs to none
 * or to one that started at another time, or the computer was started since; those of other computers and containers are left alone. A
 * process that starts has a socket and a file of its own name, which nobody else removes, and several may clean up at once.
 */
export function removeLeftSockets(failed: (thrown: unknown) => void): void {
  try {
    for (const process of owners())
      if (!isRunning(process)) {
        // The socket first: with its file, it is found again if this process ends in between.
        removeSocketOf(process);
        forgetOwner(process);
      }
  } catch (thrown) {
    failed(thrown);
  }
}

/** Names of files of this kind whose processes are gone. */
export function leftOwners(): string[] {
  return owners().flatMap((process) => (isRunning(process) ? [] : ownerFile(process)));
}

/** The name of the file that says which process a socket belongs to. */
function ownerFile(process: ProcessIdentity): string {
  return basename(socketOf(process)).replace(/\.sock$/, OWNER);
}

/** The processes that are named in the run folder. What is no such file, or does not have its name, is passed over. */
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
