import { join } from "node:path";
import type { Client } from "@scorel/host/contract";
import { type Holder, holderOf, isHeld, tryLock } from "@scorel/kit/files/lock";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { StateFolder } from "@scorel/kit/files/state-folder";
import { isId } from "@scorel/kit/values/id";
import { runFolder } from "./run-folder.ts";

/** Processes of one kind that get names of their own. */
const MOST = 99;
/** The ending of the files that say which process has a name. */
const ENDING = ".name";
/** The operations after which the client's name stands in the conversation. */
const SAYING: readonly string[] = ["send_message", "run_shell", "run_command", "answer_request"];
/** The sessions that are remembered for a name: those in which its process has said something last. */
const REMEMBERED = 100;

/** The name that a process has at every host. */
export interface OwnName {
  name: string;
  /** The process says something in a session, where its name stands beside the words from now on. */
  saysIn(sessionId: string): void;
  /** The process ends now. */
  ended(): void;
}

/** The file of a name: who has it, and the sessions in which that process has said something. */
interface Claim extends Holder {
  sessions?: unknown;
}

/**
 * Claims a name: `terminal`, `terminal-2`. The process has it at every host, so that it keeps its name when a session moves from one host
 * to another. The first name is taken that no running process of this home has. That of an ended process is left out while a session is
 * still open in which it has said something: whoever follows that session would take the words of two for those of one. Without a folder
 * for the claim, the name is as given, and each host adds its own number.
 */
export function claimName(given: string, isOpen: (sessionId: string) => boolean): OwnName {
  try {
    makePrivate(runFolder());
    for (let number = 1; number <= MOST; number++) {
      const name = number === 1 ? given : `${given}-${number}`;
      const path = join(runFolder(), name + ENDING);
      if (saidIn(path).some(isOpen)) continue;
      const lock = tryLock(path);
      if (lock && "release" in lock) return claimed(name, path, lock);
    }
  } catch {
    // A home that cannot be written is told by whatever has to write there.
  }
  return { name: given, saysIn() {}, ended() {} };
}

/** Whether the name of the client that asks for this stands in the conversation afterwards. */
export function isSaying(operation: string): boolean {
  return SAYING.includes(operation);
}

/** The client, which calls `saysIn` before it says something in a session. */
export function noting<C extends Client>(client: C, saysIn: OwnName["saysIn"]): C {
  const { request } = client;
  const noted: Client["request"] = (operation, params) => {
    const { sessionId } = params as { sessionId?: string };
    if (sessionId !== undefined && isSaying(operation)) saysIn(sessionId);
    return request(operation, params);
  };
  return Object.assign(client, { request: noted });
}

/** Names of the files that claim names for processes which have ended. */
export function leftNames(folder: Pick<StateFolder, "names" | "at">): string[] {
  return folder.names().filter((file) => {
    const path = folder.at(file);
    const holder = file.endsWith(ENDING) ? holderOf(path) : undefined;
    return holder !== undefined && !isHeld(path, holder);
  });
}

function claimed(name: string, path: string, lock: { holds(): boolean; release(): void }): OwnName {
  const sessions = new Set<string>();
  return {
    name,
    saysIn(sessionId) {
      if (sessions.has(sessionId)) return;
      sessions.add(sessionId);
      remember(path, lock, [...sessions].slice(-REMEMBERED));
    },
    ended() {
      // Otherwise the file stays, and says where the name still stands.
      if (sessions.size === 0) lock.release();
    },
  };
}

/** Written before the words are sent, so that it is there whenever the process is killed. */
function remember(path: string, lock: { holds(): boolean }, sessions: readonly string[]): void {
  try {
    if (lock.holds()) replaceFile(path, JSON.stringify({ ...holderOf(path), sessions } satisfies Partial<Claim>));
  } catch {
    // The name may then be given away as soon as this process has ended; nothing that was said depends on it.
  }
}

/** The sessions in which a process has said something that has ended, and whose name nobody has taken since. */
function saidIn(path: string): string[] {
  const claim: Claim | undefined = holderOf(path);
  const sessions = claim && !isHeld(path, claim) ? claim.sessions : undefined;
  return Array.isArray(sessions) ? sessions.filter((id) => typeof id === "string" && isId(id)) : [];
}
