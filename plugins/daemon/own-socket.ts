import type { Listening } from "@scorel/gateway/contract";
import { messageOf } from "@scorel/kernel";
import { ownIdentity } from "@scorel/kit/process/identity";
import type { DaemonContext } from "./context.ts";
import { socketOf } from "./run-folder.ts";

/** Lets other processes of this user reach the sessions of this one. Without it they are refused, as before. */
export async function openOwnSocket(ctx: DaemonContext): Promise<Listening | undefined> {
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  const socket = transports.find(({ name }) => name === "socket");
  try {
    return await socket?.listen({ socket: socketOf(ownIdentity()) });
  } catch (thrown) {
    ctx.logger.warn(messageOf(thrown));
    return undefined;
  }
}
