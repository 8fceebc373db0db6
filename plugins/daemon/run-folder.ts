import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import type { LocalIdentity, ProcessIdentity } from "@scorel/kit/process/identity";

/** The longest path that a Unix socket can have, on the systems where it is shortest. */
const MAX_SOCKET_PATH = 100;

/** The folder of what belongs to running processes, `~/.scorel/run`. */
export const runFolder = () => join(userDir(), "run");

/** The lock of the home's daemon, what it says about itself, and its log. */
export const lockFile = () => join(runFolder(), "host.lock");
export const stateFile = () => join(runFolder(), "host.json");
export const logFile = () => join(runFolder(), "host.log");

/**
 * The socket at which a process of this user can be reached: in the run folder, or in a private temporary folder if that path is
 * too long for a socket. Its name says which process, not only which pid, since pids are used again.
 */
export function socketOf(process: LocalIdentity & Pick<ProcessIdentity, "boot" | "space">): string {
  const { pid, start, boot, space } = process;
  const name = `${digest(`${pid} ${start} ${boot} ${space}`)}.sock`;
  const path = join(runFolder(), name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  return join(tmpdir(), `scorel-${digest(userDir())}`, name);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
