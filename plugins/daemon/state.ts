import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { inOwnFolder, inStateFolder, isOwnFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { ownIdentity } from "@scorel/kit/process/identity";
import { z } from "zod";
import { lockFile, PAGE_PORT, runFolder, STATE } from "./run-folder.ts";

/** The state that a daemon writes to a file, for other processes of its user. It contains no secrets. */
export interface DaemonState {
  pid: number;
  /** The nonce of its lock, which tells its state from that of an earlier daemon. */
  nonce: string;
  version: string;
  preset: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** The addresses at which it can be reached, with the transport of each. */
  addresses: { transport: string; address: string; note?: string | undefined }[];
  /** The options of `host serve` that it was started with, for a daemon that replaces it. */
  words?: string[] | undefined;
  /** Whether a command has started it in the background, so that a command may also replace it. */
  background?: boolean | undefined;
}

const schema = z.object({
  pid: z.int().positive(),
  nonce: z.string(),
  version: z.string(),
  preset: z.string(),
  startedAt: z.number(),
  addresses: z.array(z.object({ transport: z.string(), address: z.string(), note: z.string().optional() })),
  words: z.array(z.string()).optional(),
  background: z.boolean().optional(),
});

/** The daemon of this home; undefined if none runs. `ready` is false while it starts. */
export interface Daemon {
  pid: number;
  since: string;
  machine: string;
  /** The pid namespace of the daemon. In another one, its pid is that of another process. */
  space: string;
  state?: DaemonState;
}

/** Looks for the daemon of this home, without connecting to it. */
export function findDaemon(): Daemon | undefined {
  // A folder that another user could have written cannot be trusted.
  if (!isOwnFolder(runFolder())) return undefined;
  const holder = holderOf(lockFile());
  if (!holder || !isHeld(lockFile(), holder)) return undefined;
  const { pid, since, machine, space, nonce } = holder;
  const state = readState();
  return { pid, since, machine, space, ...(state?.nonce === nonce && { state }) };
}

/** Whether a daemon runs where its pid means nothing to this process: on another machine or in another container. */
export function isElsewhere({ machine, space }: Pick<Daemon, "machine" | "space">): boolean {
  const own = ownIdentity();
  return machine !== own.machine || space !== own.space;
}

/** The addresses as text, one per line. */
export function addressLines(addresses: DaemonState["addresses"]): string {
  const lines = addresses.map(
    ({ transport, address, note }) => `${transport}: ${address}${note ? ` (${note})` : ""}\n`,
  );
  return lines.join("");
}

export function writeState(state: DaemonState): void {
  inOwnFolder(runFolder(), (folder) => replaceFile(folder.at(STATE), `${JSON.stringify(state, null, 2)}\n`));
}

export function removeState(): void {
  removeStateFile(runFolder(), STATE);
}

/** Remembers the port of the page, so that the next host of this home opens the same one. */
export function rememberPagePort(port: number): void {
  inOwnFolder(runFolder(), (folder) => replaceFile(folder.at(PAGE_PORT), `${port}\n`));
}

/** The port that the page had last; undefined if there is none, or the file cannot be read. */
export function lastPagePort(): number | undefined {
  if (!isOwnFolder(runFolder())) return undefined;
  try {
    const text = inStateFolder(runFolder(), (folder) => readIfPresent(folder.at(PAGE_PORT)))?.trim() ?? "";
    return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536 ? Number(text) : undefined;
  } catch {
    // Without the file, the usual port is used.
    return undefined;
  }
}

/** Reads the file with the daemon's state; undefined if it is missing or unreadable, as if no daemon ran. */
function readState(): DaemonState | undefined {
  try {
    const text = inStateFolder(runFolder(), (folder) => readIfPresent(folder.at(STATE)));
    return schema.parse(JSON.parse(text ?? "null"), { jitless: true });
  } catch {
    return undefined;
  }
}
