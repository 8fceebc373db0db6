import { codeOf, type EventId, type Kernel, messageOf, newId, type SessionHeader } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import type { Notice } from "@scorel/workspace/contract";
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

/**
 * Applies the layers of `beforeStore` to the name in the header of a session that is not stored yet. If they refuse the name, the session
 * gets none, and a notice is returned.
 */
export async function cleanName({ meta }: { meta: { name?: unknown } }, kernel: Kernel): Promise<Notice[]> {
  const { name } = meta;
  const agent = kernel.find("agent");
  if (typeof name !== "string" || !agent?.changesStored) return [];
  try {
    meta.name = await agent.storable(name);
    return [];
  } catch (thrown) {
    delete meta.name;
    return [{ origin: "the name of the session", code: codeOf(thrown), message: messageOf(thrown) }];
  }
}

/** Returns the id for a copy. It is the same for repeated requests, so that a retry finds the first copy. */
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
