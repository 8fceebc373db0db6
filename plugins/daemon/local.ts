import { errors } from "./errors.ts";
import { findDaemon } from "./state.ts";

/** The path of the socket of the daemon of this home. Throws DAEMON_NONE. */
export function localSocket(): string {
  const addresses = findDaemon()?.state?.addresses ?? [];
  const socket = addresses.find(({ transport }) => transport === "socket");
  if (!socket) throw errors.DAEMON_NONE();
  return socket.address;
}
