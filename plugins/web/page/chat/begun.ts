import type { Device } from "../host/device.ts";
import { OpenSession } from "../host/session.ts";
import type { Field } from "./field.ts";

/** Sessions that were opened before the page shows them, so that their field is there at once. By their key, which also names the host. */
const begun = new Map<string, OpenSession>();

/**
 * Opens a session that the page is about to show, and makes the field in which it was started its own. If that fails, the session's page
 * shows the error.
 */
export async function openBegun(device: Device, sessionId: string, field: Field): Promise<void> {
  // Before the session is open: somebody may choose it in the list meanwhile, and would get a second field for it.
  field.moveTo(device.keyOf(sessionId));
  const session = await OpenSession.open(device, sessionId).catch(() => undefined);
  if (session) begun.set(device.keyOf(sessionId), session);
}

/** The session that was opened before the page shows it; undefined if there is none. */
export function begunOf(device: Device, sessionId: string): OpenSession | undefined {
  return begun.get(device.keyOf(sessionId));
}

/** Closes a session that the page does not show after all. */
export function leaveBegun(device: Device, sessionId: string): void {
  // If the connection is lost, the host closes the session itself.
  takeBegun(device, sessionId)
    ?.close(device)
    .catch(() => {});
}

/** Hands the session over to its page, which then has to close it. */
export function takeBegun(device: Device, sessionId: string): OpenSession | undefined {
  const key = device.keyOf(sessionId);
  const session = begun.get(key);
  begun.delete(key);
  return session;
}
