import type { Listening } from "@scorel/gateway/contract";
import { definePlugin } from "@scorel/kernel";
import { cliCommands, type ProcessState } from "./cli-commands.ts";
import { config } from "./context.ts";
import type {} from "./contract.ts";
import { isOpenAnywhere } from "./holders.ts";
import { operations } from "./operations.ts";
import { claimName, type OwnName } from "./own-name.ts";
import { ReachingClient } from "./reach.ts";

/** Plugin `daemon`: a host that outlives the terminal, and clients for hosts in other processes. */
export default definePlugin({
  id: "daemon",
  name: "Daemon",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "gateway", "launch"],
  provides: ["daemon"],
  config,

  activate(ctx) {
    const claims: OwnName[] = [];
    let socket: Promise<Listening | undefined> | undefined;
    const state: ProcessState = {
      serving: undefined,
      isHost: false,
      attached: undefined,
      ownName(given) {
        if (given !== "terminal") return undefined;
        const claim = claimName(given, (sessionId) => isOpenAnywhere(ctx, sessionId));
        claims.push(claim);
        return claim;
      },
    };
    /** Lets other processes reach the sessions of this one. */
    const open = () => {
      socket ??= import("./own-socket.ts").then(({ openOwnSocket }) => openOwnSocket(ctx));
    };
    ctx.provide("daemon", {
      connect: async (...given) => (await import("./background-client.ts")).connectInBackground(ctx, ...given),
    });
    ctx.launch.beforeEnd(async () => state.serving?.end());
    ctx.beforeStop(async () => {
      for (const claim of claims) claim.ended();
      await (await socket)?.close();
    });
    return {
      operations: () =>
        operations(
          () => state.serving,
          () => ctx.gateway.clients(),
        ),
      serviceWrappers: {
        host: (host) => ({
          connect: (options = {}) => {
            if (state.isHost) return host.connect(options);
            // A caller that sets `clientId` or `scope` acts for another client, so it needs a client of this very host.
            if (options.clientId === undefined && options.scope === undefined) {
              if (state.attached) return state.attached;
              const own = state.ownName(options.name);
              const { name } = own ?? options;
              const saysIn = own?.saysIn;
              return new ReachingClient(ctx, host.connect({ ...options, name }), { opened: open, name, saysIn });
            }
            open();
            return host.connect(options);
          },
        }),
      },
      cliCommands: () => cliCommands(ctx, state),
    };
  },
});
