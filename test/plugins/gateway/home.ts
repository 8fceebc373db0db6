import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { connectHost, type LinkTimes, type RemoteClient, type RemoteOptions } from "@scorel/host/client";
import { Gateway, type GatewayLimits } from "../../../plugins/gateway/gateway.ts";
import { lineChannel } from "../../../plugins/kit/net/line-channel.ts";
import { LIMITS } from "../../../plugins/socket/socket.ts";
import { testHome, testHost } from "../host/home.ts";

/** Short retry times for tests, in milliseconds. */
const times: Partial<LinkTimes> = { firstRetry: 5, lastRetry: 20 };

/** A host with a real gateway, to which clients connect over a Unix socket. */
export async function testGateway({
  plugins,
  hostPlugins,
  limits,
  maxBytes,
}: {
  plugins?: Parameters<typeof testHost>[0];
  hostPlugins?: Parameters<typeof testHost>[2];
  limits?: Partial<GatewayLimits>;
  maxBytes?: number;
} = {}) {
  const home = testHome();
  const t = await testHost(plugins, [], hostPlugins);
  const path = join(home.home, "host.sock");
  const sockets = new Set<Socket>();
  const warnings: string[] = [];
  const logger = {
    info: () => {},
    warn: (message: string, thrown?: unknown) => void warnings.push(`${message}: ${(thrown as Error)?.message}`),
  };
  const start = () => new Gateway({ host: t.host, version: "1.0.0", logger, limits });
  let gateway = start();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    gateway.accept(lineChannel(socket, socket, { ...LIMITS, maxBytes }), { transport: "test", admit: () => ({}) });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const clients: RemoteClient[] = [];
  return {
    ...t,
    home,
    path,
    warnings,
    gateway: () => gateway,
    connect: async (options: Partial<RemoteOptions> = {}) => {
      const client = await connectHost({ dial: () => dial(path), version: "1.0.0", times, ...options });
      clients.push(client);
      return client;
    },
    /** Cuts all connections, as a network failure does. */
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    /** Forgets all clients, as if the host had restarted. Calls `meanwhile` before they can reconnect. */
    restart: async (meanwhile = () => {}) => {
      const former = gateway;
      gateway = start();
      const dismissed = former.dismiss("it is restarted", true);
      meanwhile();
      await dismissed;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await gateway.dismiss("the test ends", false);
      server.close();
      await t.kernel.stop();
      home[Symbol.dispose]();
    },
  };
}

/** Opens a connection to a Unix socket. */
export function dial(path: string): Promise<ReturnType<typeof lineChannel>> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(lineChannel(socket, socket));
    });
  });
}
