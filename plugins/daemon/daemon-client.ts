import type { RemoteClient } from "@scorel/host/client";
import { messageOf } from "@scorel/kernel";
import type { DaemonContext } from "./context.ts";
import { dialHost } from "./dial.ts";
import { type DaemonState, findDaemon } from "./state.ts";

/**
 * Connects to this home's daemon. Undefined if none runs, if it cannot be reached through a socket, or if it cannot stand in for this
 * process: it has another preset, has another version and is in use, or this process was started with --trust. Prints why a running
 * daemon is not used; of a preset and --trust it does so only on a terminal.
 */
export async function dialDaemon(ctx: DaemonContext, name: string): Promise<RemoteClient | undefined> {
  const found = findDaemon();
  if (!found?.state || found.pid === process.pid) return undefined;
  const { launch } = ctx;
  let { state } = found;
  const preset = launch.preset ?? "coding";
  const unfit =
    state.preset !== preset
      ? `the running host has the preset ${state.preset}, not ${preset}`
      : launch.trust && "--trust is for this process, and not for the running host";
  if (unfit) {
    if (launch.stderr.isTTY) launch.stderr.write(`scorel: ${unfit}, so it is not used\n`);
    return undefined;
  }
  if (state.version !== launch.version) {
    const replaced = await (await import("./replace.ts")).replaceIdle(ctx, state);
    if (!replaced) return undefined;
    state = replaced;
  }
  const address = socketIn(state.addresses);
  if (address === undefined) return undefined;
  try {
    // A restarted daemon has another socket.
    const now = () => {
      const { state } = findDaemon() ?? {};
      return (state?.preset === preset ? socketIn(state.addresses) : undefined) ?? address;
    };
    return await dialHost(ctx, address, { name, now });
  } catch (thrown) {
    launch.stderr.write(`scorel: the running host cannot be reached, continuing without it: ${messageOf(thrown)}\n`);
    return undefined;
  }
}

function socketIn(addresses: DaemonState["addresses"]): string | undefined {
  return addresses.find(({ transport }) => transport === "socket")?.address;
}
