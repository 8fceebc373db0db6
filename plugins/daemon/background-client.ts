import type { RemoteClient } from "@scorel/host/client";
import { startInBackground, wordsOf } from "./background.ts";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { errors } from "./errors.ts";
import { readyHost } from "./ready.ts";

/** Connects to the host in the background. If none runs, starts one; with `start: false`, throws DAEMON_NONE. */
export async function connectInBackground(
  ctx: DaemonContext,
  name: string,
  { start = true } = {},
): Promise<RemoteClient> {
  const state = await readyHost(start ? () => startInBackground({ env: ctx.launch.env }, wordsOf(ctx, {})) : undefined);
  const socket = state.addresses.find(({ transport }) => transport === "socket")?.address;
  if (socket === undefined) throw errors.DAEMON_NONE();
  return dialHost(ctx, socket, { name, reconnect: false });
}
