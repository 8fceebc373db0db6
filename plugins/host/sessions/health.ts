import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { SessionHealth } from "../contract.ts";
import { errors } from "../errors.ts";
import { MOST_LISTED } from "../places.ts";
import { isLocked, lockState } from "../storage/lock.ts";
import { statOfLog } from "../storage/log-stat.ts";
import { besideLog } from "../storage/session-store.ts";
import { type Verdict, verifyLog } from "./verify.ts";

const LATEST = 5;
/** Maximum bytes of logs that one check reads. */
const READ_AT_MOST = 64 * 2 ** 20;

/** Checks the files of the sessions written last. Throws HOST_LIMIT_INVALID and HOST_HOME. */
export async function checkSessions(
  store: Logs,
  directory: string,
  limit = LATEST,
): Promise<{ total: number; sessions: SessionHealth[] }> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED)
    throw errors.HOST_LIMIT_INVALID({ value: String(limit), max: MOST_LISTED });
  const names = namesIn(directory);
  const logs = logsIn(store, directory);
  const sessions: SessionHealth[] = [];
  let room = READ_AT_MOST;
  for (const log of logs.slice(0, limit)) {
    sessions.push(healthOf(store, log, directory, names, log.bytes <= room));
    room -= Math.min(room, log.bytes);
    // Reading a log blocks the event loop, so other work can run between two logs.
    await new Promise(setImmediate);
  }
  return { total: logs.length, sessions };
}

interface Log {
  sessionId: string;
  path: string;
  bytes: number;
  writtenAt: number;
}

/** Lists the logs, latest first by file time, since their contents may be damaged. */
function logsIn(store: Logs, directory: string): Log[] {
  return store
    .list(directory)
    .flatMap((sessionId) => {
      const path = join(directory, sessionId + store.ending);
      const stat = statOfLog(path);
      return stat ? [{ sessionId, path, bytes: stat.size, writtenAt: stat.mtimeMs }] : [];
    })
    .sort((a, b) => b.writtenAt - a.writtenAt);
}

function healthOf(store: Logs, log: Log, directory: string, names: readonly string[], whole: boolean): SessionHealth {
  const { sessionId, path } = log;
  const lockPath = besideLog(path, "lock");
  const lock = lockState(lockPath);
  const partial = besideLog(path, "partial");
  const torn = names.filter((name) => name.startsWith(`${sessionId}.torn-`)).map((name) => join(directory, name));
  return {
    ...log,
    ...(whole ? read(store, path) : { damage: [], notes: [], bridged: 0 }),
    torn: torn.map((each) => ({ path: each, bytes: statSync(each, { throwIfNoEntry: false })?.size ?? 0 })),
    ...(existsSync(partial) && !isLocked(lockPath) && { leftover: partial }),
    index: store.indexState?.(besideLog(path, "index")) ?? "none",
    ...(lock && { lock: { path: lockPath, ...lock } }),
  };
}

type Read = Pick<SessionHealth, "damage" | "notes" | "bridged"> & Partial<Pick<SessionHealth, "events" | "problem">>;

function read(store: Logs, path: string): Read {
  try {
    const { events, damage, notes, bridged }: Verdict = verifyLog(store, path);
    return { events, damage, notes, bridged };
  } catch (thrown) {
    return { damage: [], notes: [], bridged: 0, problem: { code: codeOf(thrown), message: messageOf(thrown) } };
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return [];
    throw errors.HOST_HOME({ path: directory, reason: code }, { cause: thrown });
  }
}
