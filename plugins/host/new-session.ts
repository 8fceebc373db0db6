import { newId, type SessionHeader } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { deviceId } from "./device.ts";
import { homeDirectory } from "./workspace.ts";

/**
 * The header of a new session; `version`: of the format of its log. An unsaved session leaves nothing on disk, so this device is
 * not named for it.
 */
export function newHeader(
  version: number,
  unsaved = false,
): Omit<SessionHeader, "meta"> & { meta: Record<string, never> } {
  return {
    version,
    sessionId: newId(),
    deviceId: unsaved ? newId() : deviceId(homeDirectory()),
    createdAt: Date.now(),
    epoch: newId(),
    meta: {},
  };
}

/** The id of a copy: the same for the same request, so that a retry finds what the first one made. */
export function cloneId(sessionId: string, messageId: string): string {
  const hash = sha256Of(`clone ${sessionId} ${messageId}`);
  return BigInt(`0x${hash}`).toString(36).slice(0, 16);
}
