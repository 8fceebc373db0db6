import { messageOf } from "@scorel/kernel";
import { startInBackground } from "./background.ts";
import type { DaemonContext } from "./context.ts";
import type {} from "./contract.ts";
import { dialHost } from "./dial.ts";
import { type DaemonState, findDaemon } from "./state.ts";
import { ended } from "./stop.ts";

/**
 * Replaces a host of another version by one of this version, if no client uses it. Otherwise prints why not, and returns undefined.
 */
export async function replaceIdle(ctx: DaemonContext, state: DaemonState): Promise<DaemonState | undefined> {
  const { stderr, version, env } = ctx.launch;
  const other = `the running host is version ${state.version}, this is ${version}`;
  try {
    const reason = state.background === true ? await stopIdle(ctx, state) : "it was not started by a command";
    if (reason !== undefined) {
      const how = "To replace it: scorel host serve --replace";
      stderr.write(`scorel: ${other}; continuing without it, since ${reason}. ${how}\n`);
      return undefined;
    }
    const started = await startInBackground({ env }, state.words ?? []);
    stderr.write(`scorel: ${other}; nobody used it, so it was replaced\n`);
    return started;
  } catch (thrown) {
    // Another command may have replaced it already.
    const now = findDaemon()?.state;
    if (now?.version === version && now.preset === state.preset) return now;
    stderr.write(`scorel: ${other}; continuing without it: ${messageOf(thrown)}\n`);
    return undefined;
  }
}

/** Stops a host if no client uses it. Otherwise returns the reason why not. */
export async function stopIdle(ctx: DaemonContext, { addresses, pid }: DaemonState): Promise<string | undefined> {
  const address = addresses.find(({ transport }) => transport === "socket")?.address;
  if (address === undefined) return "it has no Unix socket";
  const client = await dialHost(ctx, address, { name: "command", reconnect: false });
  try {
    const { stopping, reason = "it is in use" } = await client.request("stop_host", { whenIdle: true });
    if (!stopping) return reason;
  } finally {
    await client.close();
  }
  await ended(pid);
  return undefined;
}
