import { setTimeout as sleep } from "node:timers/promises";
import { errors } from "./errors.ts";
import { lockFile } from "./run-folder.ts";
import { type Daemon, type DaemonState, findDaemon, isElsewhere } from "./state.ts";

/** Milliseconds for a host that is about to write its address, or about to end. */
const LIMIT_MS = 20_000;
const LOOK_MS = 20;

/**
 * The running host, once it can be reached. If none runs, or the running one ends meanwhile, calls `start`; without it, throws DAEMON_NONE.
 * Throws DAEMON_ELSEWHERE and DAEMON_RUNNING for one that cannot be reached.
 */
export async function readyHost(start?: () => Promise<unknown>): Promise<DaemonState> {
  for (const until = Date.now() + LIMIT_MS; ; await sleep(LOOK_MS)) {
    const found = findDaemon();
    if (found?.state) return found.state;
    if (found) assertMayCome(found, Date.now() < until);
    else if (start && Date.now() < until) await startUnlessStarted(start);
    else throw errors.DAEMON_NONE();
  }
}

/** A host without an address is starting or ending. Nobody can tell whether one in another container still exists. */
function assertMayCome(host: Daemon, isInTime: boolean): void {
  const { machine, pid, since } = host;
  if (isElsewhere(host)) throw errors.DAEMON_ELSEWHERE({ machine, pid, path: lockFile() });
  if (!isInTime) throw errors.DAEMON_RUNNING({ pid, since });
}

async function startUnlessStarted(start: () => Promise<unknown>): Promise<void> {
  try {
    await start();
  } catch (thrown) {
    // Another process may have started one at the same moment.
    if (!findDaemon()) throw thrown;
  }
}
