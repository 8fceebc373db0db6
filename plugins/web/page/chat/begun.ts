import type { Device } from "../host/device.ts";
import { OpenSession } from "../host/session.ts";
import type { Field } from "./field.ts";

/** Sessions that were opened before the page shows them, so that their field is there at once. */
const begun = new Map<string, OpenSession>();
/** The fields of these sessions, with what was written while they were created. */
const fields = new Map<string, Field>();

/**
 * Opens a session that the page is about to show, with the field in which it was started. If that fails, the session's page shows the
 * error.
 */
export async function openBegun(device: Device, sessionId: string, field: Field): Promise<void> {
  const session = await OpenSession.open(device, sessionId).catch(() => undefined);
  field.moveTo(device.keyOf(sessionId));
  fields.set(sessionId, field);
  if (session) begun.set(sessionId, session);
}

/** The session that was opened before the page shows it; undefined if there is none. */
export function begunOf(sessionId: string): OpenSession | undefined {
  return begun.get(sessionId);
}

/** Hands the session over to its page, which then has to close it. */
export function takeBegun(sessionId: string): OpenSession | undefined {
  const session = begun.get(sessionId);
  begun.delete(sessionId);
  return session;
}

/** Returns the field in which a session was started, only once. */
export function takeField(sessionId: string): Field | undefined {
  const field = fields.get(sessionId);
  fields.delete(sessionId);
  return field;
}
