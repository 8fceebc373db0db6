import type { Device } from "../host/device.ts";
import { OpenSession } from "../host/session.ts";

/** Sessions that were opened before the page went to them, so that it has their field at once. */
const begun = new Map<string, OpenSession>();

/** Opens a session for the page that is about to show it. If that fails, the page itself says why. */
export async function openBegun(device: Device, sessionId: string): Promise<void> {
  const session = await OpenSession.open(device, sessionId).catch(() => undefined);
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
