import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { lockFile } from "./run-folder.ts";
import { type Daemon, findDaemon, isElsewhere } from "./state.ts";

const LIMIT_MS = 20_000;
const LOOK_MS = 50;

/** Stops the daemon of this home and waits until it has ended. Returns the daemon; undefined if none ran. */
export async function stopDaemon(): Promise<Daemon | undefined> {
  const daemon = findDaemon();
  if (!daemon) return undefined;
  const { pid, machine } = daemon;
  if (isElsewhere(daemon)) throw errors.DAEMON_ELSEWHERE({ machine, pid, path: lockFile() });
  try {
    process.kill(pid, "SIGTERM");
  } catch (thrown) {
    // It may have ended meanwhile.
    if (codeOf(thrown) !== "ESRCH") throw thrown;
  }
  await ended(pid);
  return daemon;
}

/** Resolves when a daemon has ended. Throws DAEMON_STOP. */
export async function ended(pid: number): Promise<void> {
  const until = Date.now() + LIMIT_MS;
  while (findDaemon()?.pid === pid) {
    if (Date.now() > until) throw errors.DAEMON_STOP({ pid, seconds: LIMIT_MS / 1_000 });
    await sleep(LOOK_MS);
  }
}
