/** A helper process of the relay rows: a relay, a server that only forwards messages, a host, or many idle clients. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Channel } from "@scorel/host/client";
import { WebSocket, WebSocketServer } from "ws";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import { connectRelay } from "../../plugins/relay/peer/connection.ts";
import { nodeSocket } from "../../plugins/relay/peer/node-socket.ts";
import { routedChannel } from "../../plugins/relay/peer/routed-channel.ts";
import { signGrant } from "../../plugins/relay/protocol/grants.ts";
import { createIdentity, joinKeys } from "../../plugins/relay/protocol/identity.ts";
import { DEFAULT_LIMITS } from "../../plugins/relay/server/limits.ts";
import { listenAsRelay } from "../../plugins/relay/server/listen.ts";
import { StoredRevocations } from "../../plugins/relay/server/revocations.ts";
import { type Answer, eventAt, type Order, type Role } from "./relay-orders.ts";
import { now } from "./wire-orders.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const YEAR = 365n * 24n * 60n * 60n;
const free = { burst: 1e12, perSecond: 1e12 };
/** Limits that allow thousands of clients on one computer. */
const limits = {
  ...DEFAULT_LIMITS,
  ...{ socketsOfIdentity: 1e6, socketsOfAddress: 1e6, strangers: 1e6, frames: free, bytes: free },
};

async function cost(): Promise<Answer> {
  collect();
  // Memory is released a little later.
  await sleep(50);
  collect();
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, memory: process.memoryUsage().rss };
}

async function relay(): Promise<Answer> {
  const settings = { port: 0, bind: "127.0.0.1", tls: undefined, names: [], behindProxy: false };
  const { address } = await listenAsRelay(settings, {
    revocations: new StoredRevocations(undefined, Date.now()),
    limits,
    warn: () => {},
  });
  return { url: address };
}

async function listening(accept: (socket: WebSocket, path: string) => void): Promise<string> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
  sockets.on("connection", (socket, { url = "" }) => accept(socket, url));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts a server that connects the first two connections with the same path, and forwards their messages unchanged.
 */
async function bare(): Promise<Answer> {
  const waiting = new Map<string, WebSocket>();
  const url = await listening((socket, path) => {
    const other = waiting.get(path);
    if (!other) return void waiting.set(path, socket);
    waiting.delete(path);
    socket.on("message", (message) => other.send(message));
    other.on("message", (message) => socket.send(message));
  });
  return { url };
}

const listeners = new Set<{ send(text: string): void }>();

/** Accepts clients, through a relay or directly; orders of type `pace` send events to them. */
async function serve({ relay: address, client }: Extract<Order, { do: "serve" }>): Promise<Answer> {
  const take = (channel: Pick<Channel, "send">) => void listeners.add(channel);
  if (address === undefined)
    return {
      url: await listening((socket) => {
        take(socket);
        socket.on("close", () => listeners.delete(socket));
      }),
    };
  const identity = await createIdentity(nodeCrypto);
  await connectRelay({
    ...{ address, who: { role: "host", identity }, primitives: nodeCrypto, make: nodeSocket },
    events: {
      incoming: (route, peer) => {
        const channel = routedChannel({
          role: "host",
          primitives: nodeCrypto,
          identity,
          peer,
          route,
          ended: () => listeners.delete(channel),
        });
        channel.open({ message: () => {}, closed: () => {} });
        take(channel);
      },
    },
  });
  const grant = await signGrant(identity, {
    clientId: new Uint8Array(Buffer.from(client as string, "base64")),
    serial: 1n,
    notAfter: BigInt(Math.floor(Date.now() / 1000)) + YEAR,
  });
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  return { keys: text(joinKeys(identity.publicKeys)), grant: text(grant) };
}

async function pace({ count, rate }: Extract<Order, { do: "pace" }>): Promise<Answer> {
  const start = performance.now();
  for (let sent = 0; sent < count; await sleep(start + (sent * 1e3) / rate - performance.now()), sent++)
    for (const listener of listeners) listener.send(eventAt(now()));
  return {};
}

const held: { close(): void }[] = [];

async function hold({ url, count, isRelay }: Extract<Order, { do: "hold" }>): Promise<Answer> {
  const identity = await createIdentity(nodeCrypto);
  const who = { role: "client", identity } as const;
  const one = () =>
    isRelay
      ? connectRelay({ address: url, who, primitives: nodeCrypto, make: nodeSocket, limitMs: 60_000 })
      : new Promise<WebSocket>((resolve, reject) => {
          const socket = new WebSocket(`${url}/${held.length}-${Math.random()}`);
          socket.on("open", () => resolve(socket)).on("error", reject);
        });
  for (let at = 0; at < count; at += 50) held.push(...(await Promise.all(Array.from({ length: 50 }, one))));
  return {};
}

async function answer(order: Order): Promise<Answer> {
  if (order.do === "cost") return cost();
  if (order.do === "serve") return serve(order);
  if (order.do === "pace") return pace(order);
  if (order.do === "hold") return hold(order);
  for (const each of held.splice(0)) each.close();
  return {};
}

const role = process.argv[2] as Role;
process.send?.(role === "relay" ? await relay() : role === "bare" ? await bare() : {});
process.on("message", async (order: Order) => process.send?.(await answer(order)));
process.on("disconnect", () => process.exit(0));
