/**
 * A process of clients that reach hosts through a relay. It is separate so that clients and hosts can be measured on
 * their own.
 */
import { createInterface } from "node:readline";
import { connectHost, type RemoteClient } from "@scorel/host/client";
import { WebSocket } from "ws";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import type { BinarySocket } from "../../plugins/relay/peer/connection.ts";
import { dialHost } from "../../plugins/relay/peer/dial.ts";
import { base64url, fromBase64url } from "../../plugins/relay/protocol/bytes.ts";
import { createIdentity, joinKeys, keysAt } from "../../plugins/relay/protocol/identity.ts";
import type { Bytes } from "../../plugins/relay/protocol/primitives.ts";
import { eventually } from "../eventually.ts";

/** The configuration of a device: its number of clients, and the host that they connect to. */
export interface CrowdDevice {
  clients: number;
  relay: string;
  keys: string;
  grant: string;
}

let connections = 0;
/** Connects like a proxy that states another client address for each connection, so that limits per address do not apply. */
function fromAnywhere(address: string, protocol: string): BinarySocket {
  const from = ++connections;
  const headers = { "X-Forwarded-For": `10.${from >> 16}.${(from >> 8) & 255}.${from & 255}` };
  return new WebSocket(address, protocol, { headers, perMessageDeflate: false }) as unknown as BinarySocket;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => String((await lines.next()).value);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const bytes = (text: string) => fromBase64url(text) as Bytes;

const devices = await Promise.all(Array.from({ length: Number(process.argv[2]) }, () => createIdentity(nodeCrypto)));
say(devices.map(({ publicKeys }) => base64url(joinKeys(publicKeys))));
const told = JSON.parse(await next()) as CrowdDevice[];
const all: RemoteClient[] = [];
for (const [at, identity] of devices.entries()) {
  const { clients, relay, keys, grant } = told[at] as CrowdDevice;
  const host = { name: "desk", relays: [relay], keys: keysAt(bytes(keys), 0), grant: bytes(grant) };
  const dial = () => dialHost({ host, identity, primitives: nodeCrypto, make: fromAnywhere });
  const one = () => connectHost({ dial, version: "1.0.0" });
  all.push(...(await Promise.all(Array.from({ length: clients }, one))));
}
say("there");
await next();
await eventually(() => {
  if (all.some(({ state }) => state.state === "live")) throw new Error("some are still connected");
});
say("away");
await next();
const [since, before] = [performance.now(), process.cpuUsage()];
await Promise.all(all.map((client) => client.request("list_sessions", {})));
const { user, system } = process.cpuUsage(before);
say({ took: Math.round(performance.now() - since), cpu: Math.round((user + system) / 1_000) });
await Promise.all(all.map((client) => client.close()));
process.exit(0);
