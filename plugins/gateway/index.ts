import type {} from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type { ConnectedClient } from "./contract.ts";
import type { Gateway } from "./gateway.ts";

/** Plugin `gateway`: serves clients in other processes, over the connections that transports make. */
export default definePlugin({
  id: "gateway",
  name: "Gateway",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "launch"],
  provides: ["gateway"],

  activate(ctx) {
    let gateway: Gateway | undefined;
    const announced = new Set<ConnectedClient>();
    const loaded = async () => {
      const module = await import("./gateway.ts");
      gateway ??= new module.Gateway({ host: ctx.host, version: ctx.launch.version, logger: ctx.logger });
      return gateway;
    };
    ctx.provide("gateway", {
      // A channel reads nothing before it is opened, so nothing is missed.
      accept: (channel, options) =>
        void loaded()
          .then((ready) => ready.accept(channel, options))
          // For example because the host has stopped meanwhile.
          .catch((thrown) => {
            ctx.logger.warn(`A client could not be served (${options.transport})`, thrown);
            channel.close();
          }),
      clients: () => [...(gateway?.clients() ?? []), ...[...announced].map((client) => ({ ...client }))],
      announce: (client) => {
        announced.add(client);
        return () => void announced.delete(client);
      },
      flush: async () => gateway?.flush(),
      dismiss: async (reason, retry) => (await loaded()).dismiss(reason, retry),
    });
    ctx.beforeStop(() => gateway?.dismiss("the host stops", true));
  },
});
