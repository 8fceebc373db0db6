import { join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { type Lock, tryLock } from "@scorel/kit/files/lock";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { errors } from "../errors.ts";

/** Where a relay keeps what was revoked, unless --data names another folder. */
export function dataFolder(option: unknown): string {
  return typeof option === "string" ? option : join(userDir(), "relay-server");
}

/** The socket on which the commands of its owner reach a running relay. */
export function controlSocket(folder: string): string {
  return join(folder, "control.sock");
}

/** Takes the folder for this process, since two relays would not know what the other one has revoked. Throws RELAY_HELD. */
export function holdFolder(folder: string): Lock {
  makePrivate(folder);
  const lock = tryLock(join(folder, "relay.lock"));
  if (!lock || !("release" in lock)) throw errors.RELAY_HELD({ folder, pid: lock?.pid ?? 0 });
  return lock;
}
