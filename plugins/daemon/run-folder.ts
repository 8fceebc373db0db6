import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { inStateFolder, isOwnFolder } from "@scorel/kit/files/state-folder";
import { MAX_SOCKET_PATH } from "@scorel/kit/net/socket-path";
import { isRunning, type LocalIdentity, type ProcessIdentity } from "@scorel/kit/process/identity";

/** The folder for files of running processes, `~/.scorel/run`. */
export const runFolder = () => join(userDir(), "run");

/** The lock of the home's daemon; below, the file with its state, and its log. */
export const lockFile = () => join(runFolder(), "host.lock");
export const STATE = "host.json";
export const LOG = "host.log";
/** The port that `scorel up` used last. */
export const PAGE_PORT = "page-port";
export const logFile = () => join(runFolder(), LOG);

/**
 * The path of the socket at which a process of this user can be reached: in the run folder, or in a private temporary folder if that path
 * would be too long for a socket. Its name identifies the process by more than the pid, since pids are reused.
 */
export function socketOf(process: LocalIdentity & Pick<ProcessIdentity, "boot" | "space">): string {
  const { pid, start, boot, space } = process;
  const name = `${digest(`${pid} ${start} ${boot} ${space}`)}.sock`;
  const path = join(runFolder(), name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  return join(tmpdir(), `scorel-${digest(userDir())}`, name);
}

/** Removes the socket of a process that was killed. If something else is at its path, it is kept, and no link is followed. */
export function removeSocketOf(process: ProcessIdentity): void {
  if (process.pid === 0 || isRunning(process)) return;
  const path = socketOf(process);
  if (!isOwnFolder(dirname(path))) return;
  inStateFolder(dirname(path), (folder) => {
    const name = basename(path);
    if (lstatSync(folder.at(name), { throwIfNoEntry: false })?.isSocket()) folder.remove(name);
  });
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
