import type { Listening } from "@scorel/gateway/contract";
import { messageOf } from "@scorel/kernel";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { forgetOwner, nameOwner, removeLeftSockets } from "./left-sockets.ts";
import { runFolder, socketOf } from "./run-folder.ts";

/** Opens a socket through which other processes of this user reach the sessions of this process. */
export async function openOwnSocket(ctx: DaemonContext): Promise<Listening | undefined> {
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  const socket = transports.find(({ name }) => name === "socket");
  try {
    if (!socket) return undefined;
    makePrivate(runFolder());
    nameOwner(ownIdentity());
    const listening = await socket.listen({ socket: socketOf(ownIdentity()) });
    setImmediate(removeLeftSockets, (thrown: unknown) => ctx.logger.warn("Sockets of ended processes stay", thrown));
    const close = async () => {
      await listening?.close();
      forgetOwner(ownIdentity());
    };
    return listening && { ...listening, close };
  } catch (thrown) {
    ctx.logger.warn(messageOf(thrown));
    return undefined;
  }
}
