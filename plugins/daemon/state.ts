import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { inOwnFolder, inStateFolder, isOwnFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { z } from "zod";
import { lockFile, runFolder, STATE } from "./run-folder.ts";

/** What a daemon writes about itself, for other processes of its user. It contains no secrets. */
export interface DaemonState {
  pid: number;
  /** The nonce of its lock, which tells it from an earlier daemon. */
  nonce: string;
  version: string;
  preset: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Where it can be reached, by transport. */
  addresses: { transport: string; address: string; note?: string | undefined }[];
  /** Options of `host serve` that it was started with, for another one in its place. */
  words?: string[] | undefined;
  /** Whether a command has started it in the background, so that a command may replace it, too. */
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
  state?: DaemonState;
}

/** Looks for the daemon of this home, without connecting to it. */
export function findDaemon(): Daemon | undefined {
  // A folder that somebody else could have written says nothing about this home.
  if (!isOwnFolder(runFolder())) return undefined;
  const holder = holderOf(lockFile());
  if (!holder || !isHeld(lockFile(), holder)) return undefined;
  const { pid, since, machine, nonce } = holder;
  const state = readState();
  return { pid, since, machine, ...(state?.nonce === nonce && { state }) };
}

/** The addresses for people, one a line. */
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

/** An unreadable file is one of a daemon that is not there. */
function readState(): DaemonState | undefined {
  try {
    const text = inStateFolder(runFolder(), (folder) => readIfPresent(folder.at(STATE)));
    return schema.parse(JSON.parse(text ?? "null"), { jitless: true });
  } catch {
    return undefined;
  }
}
