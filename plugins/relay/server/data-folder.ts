import { utimesSync } from "node:fs";
import { join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { holderOf, type Lock, takeLock, tryLock } from "@scorel/kit/files/lock";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { MAX_SOCKET_PATH } from "@scorel/kit/net/socket-path";
import { isSurelyRunning } from "@scorel/kit/process/identity";
import { errors } from "../errors.ts";

/**
 * Milliseconds between two signs of life of the process that holds a folder, and milliseconds without one after which a holder that cannot
 * be checked counts as gone.
 */
const BEAT_MS = 2_000;
const ABANDONED_MS = 10_000;

/** The folder for revocations: the one that --data names, or else the default. Throws RELAY_DATA_LONG. */
export function dataFolder(option: unknown): string {
  const folder = typeof option === "string" ? option : join(userDir(), "relay-server");
  const bytes = Buffer.byteLength(controlSocket(folder));
  // Node would cut a longer path without an error, and create the socket outside of the private folder.
  if (bytes > MAX_SOCKET_PATH)
    throw errors.RELAY_DATA_LONG({
      folder,
      bytes: Buffer.byteLength(folder),
      max: MAX_SOCKET_PATH - (bytes - Buffer.byteLength(folder)),
    });
  return folder;
}

/** Path of the socket over which the owner's commands reach a running relay. */
export function controlSocket(folder: string): string {
  return join(folder, "control.sock");
}

/**
 * Locks the folder for this process, since two relays would not know each other's revocations. A holder in another container cannot be
 * checked: it is waited for, and counts as gone after ABANDONED_MS without a sign of life. `lost` is called if another process takes the
 * lock over, as when this process was suspended. Throws RELAY_HELD.
 */
export async function holdFolder(folder: string, lost: () => void = () => {}): Promise<Lock> {
  makePrivate(folder);
  const path = join(folder, "relay.lock");
  const options = { abandonedAfter: ABANDONED_MS };
  const first = tryLock(path, options);
  const isElsewhere = first !== undefined && !("release" in first) && !isSurelyRunning(first);
  const lock = isElsewhere ? await takeLock(path, ABANDONED_MS + BEAT_MS, options) : first;
  if (!lock || !("release" in lock)) throw errors.RELAY_HELD({ folder, pid: holderOf(path)?.pid ?? 0 });
  const beat = setInterval(() => {
    try {
      if (lock.holds()) return utimesSync(path, new Date(), new Date());
    } catch {
      // The file cannot be read now, for example for lack of file descriptors. A later beat notices if another process has the lock then.
      return;
    }
    clearInterval(beat);
    lost();
  }, BEAT_MS);
  beat.unref();
  const release = () => {
    clearInterval(beat);
    lock.release();
  };
  return { holds: () => lock.holds(), release };
}
