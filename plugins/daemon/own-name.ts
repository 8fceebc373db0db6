import { join } from "node:path";
import type { Client } from "@scorel/host/contract";
import { type Holder, holderOf, isHeld, tryLock } from "@scorel/kit/files/lock";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { StateFolder } from "@scorel/kit/files/state-folder";
import { isId } from "@scorel/kit/values/id";
import { runFolder } from "./run-folder.ts";

/** The most processes with the same name that get a unique number. */
const MOST = 99;
/** The ending of the files that claim a name. */
const ENDING = ".name";
/** The operations after which the client's name is shown in the conversation. */
const SAYING: readonly string[] = ["send_message", "run_shell", "run_command", "answer_request"];
/** The most sessions that are remembered for a name: the last ones in which its process has said something. */
const REMEMBERED = 100;

/** The unique name that a process has at every host. */
export interface OwnName {
  name: string;
  /** Called when the process says something in a session, where its name is shown from now on. */
  saysIn(sessionId: string): void;
  /** Called when the process ends. */
  ended(): void;
}

/** The content of a name's file: the process that has it, and the sessions in which that process has said something. */
interface Claim extends Holder {
  sessions?: unknown;
}

/**
 * Claims a unique name, such as `terminal` or `terminal-2`. The process has it at every host, and keeps it when a session moves from one
 * host to another. The first name is taken that no running process of this home has. The name of an ended process is not taken while a
 * session is open in which that process has said something: its messages and those of the new process would look like one author's. If
 * the claim cannot be written, the name is as given, and each host adds a number of its own.
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
    // Other code that has to write there reports that the home is not writable.
  }
  return { name: given, saysIn() {}, ended() {} };
}

/** Whether an operation makes the client's name appear in the conversation. */
export function isSaying(operation: string): boolean {
  return SAYING.includes(operation);
}

/** Wraps a client so that it calls `saysIn` before it says something in a session. */
export function noting<C extends Client>(client: C, saysIn: OwnName["saysIn"]): C {
  const { request } = client;
  const noted: Client["request"] = (operation, params) => {
    const { sessionId } = params as { sessionId?: string };
    if (sessionId !== undefined && isSaying(operation)) saysIn(sessionId);
    return request(operation, params);
  };
  return Object.assign(client, { request: noted });
}

/** The names of files with claims of ended processes. */
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
      // Otherwise the file stays, with the sessions in which the name is still shown.
      if (sessions.size === 0) lock.release();
    },
  };
}

/** Writes the sessions into the claim, before the message is sent, so that they are known even if the process is killed. */
function remember(path: string, lock: { holds(): boolean }, sessions: readonly string[]): void {
  try {
    if (lock.holds()) replaceFile(path, JSON.stringify({ ...holderOf(path), sessions } satisfies Partial<Claim>));
  } catch {
    // Then another process may take the name as soon as this one has ended. No message depends on it.
  }
}

/** The sessions in which an ended process has said something, if no other process has taken its name since. */
function saidIn(path: string): string[] {
  const claim: Claim | undefined = holderOf(path);
  const sessions = claim && !isHeld(path, claim) ? claim.sessions : undefined;
  return Array.isArray(sessions) ? sessions.filter((id) => typeof id === "string" && isId(id)) : [];
}
