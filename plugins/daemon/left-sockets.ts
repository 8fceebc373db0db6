import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readIfPresent, removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import { isRunning, type ProcessIdentity } from "@scorel/kit/process/identity";
import { codeOf } from "@scorel/kit/values/coded-error";
import { removeSocketOf, runFolder, socketOf } from "./run-folder.ts";

/** The ending of the files that name the process of a socket: the socket's own name is a hash, from which no process can be told. */
export const OWNER = ".process";

/** Says which process a socket belongs to, so that others can remove it once that process is gone. */
export function nameOwner(process: ProcessIdentity): void {
  replaceFile(ownerFile(process), JSON.stringify(process));
}

export function forgetOwner(process: ProcessIdentity): void {
  removeIfPresent(ownerFile(process));
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
  return owners().flatMap((process) => (isRunning(process) ? [] : basename(ownerFile(process))));
}

function ownerFile(process: ProcessIdentity): string {
  return join(runFolder(), basename(socketOf(process)).replace(/\.sock$/, OWNER));
}

/** The processes that are named in the run folder. What is no such file, or does not have its name, is passed over. */
function owners(): ProcessIdentity[] {
  const names = filesIn(runFolder()).filter((name) => name.endsWith(OWNER));
  return names.flatMap((name) => {
    const process = identityIn(readIfPresent(join(runFolder(), name)));
    return process && basename(ownerFile(process)) === name ? process : [];
  });
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

/** Names of the files in a folder; none if it is not there. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
}
