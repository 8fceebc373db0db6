import type { Device } from "../host/device.ts";
import { OpenSession } from "../host/session.ts";
import type { Field } from "./field.ts";

/** Sessions that were opened before the page went to them, so that it has their field at once. */
const begun = new Map<string, OpenSession>();
/** Their fields: what was written while they were created. */
const fields = new Map<string, Field>();

/** Opens a session for the page that is about to show it, with the field in which it was begun. If that fails, the page itself says why. */
export async function openBegun(device: Device, sessionId: string, field: Field): Promise<void> {
  const session = await OpenSession.open(device, sessionId).catch(() => undefined);
  field.moveTo(device.keyOf(sessionId));
  fields.set(sessionId, field);
  if (session) begun.set(sessionId, session);
}

export function begunOf(sessionId: string): OpenSession | undefined {
  return begun.get(sessionId);
}

/** The session is now the page's own, to close it. */
export function takeBegun(sessionId: string): OpenSession | undefined {
  const session = begun.get(sessionId);
  begun.delete(sessionId);
  return session;
}

/** The field in which a session was begun, once. */
export function takeField(sessionId: string): Field | undefined {
  const field = fields.get(sessionId);
  fields.delete(sessionId);
  return field;
}
