import { type EventId, type Kernel, newId, type SessionHeader } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { errors } from "../errors.ts";
import { deviceId } from "../storage/device.ts";
import { homeDirectory } from "../workspace.ts";

/**
 * Creates the header of a new session. `version` is the log format's version. An unsaved session gets a random device id,
 * so that nothing is written to disk.
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

/** Returns the id of a copy, the same for the same request, so that a retry finds the first copy. */
export function cloneId(sessionId: string, messageId: string): string {
  const hash = sha256Of(`clone ${sessionId} ${messageId}`);
  return BigInt(`0x${hash}`).toString(36).slice(0, 16);
}

/** Completes the id of the last event to copy; throws HOST_NO_HISTORY without the plugin `history`. */
export function pointIn(session: Kernel["session"], eventId: EventId, host: Kernel): Promise<EventId> {
  const history = host.find("history");
  if (!history) throw errors.HOST_NO_HISTORY();
  return history.point(session, eventId);
}
