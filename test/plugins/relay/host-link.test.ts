import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { RelayLink } from "../../../plugins/relay/host/relay-link.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { decodeFrames, encodeFrame, type Frame } from "../../../plugins/relay/protocol/frames.ts";
import { authorityOf, createIdentity, type Identity, signHello } from "../../../plugins/relay/protocol/identity.ts";
import { helloPayload } from "../../../plugins/relay/protocol/payloads.ts";
import { eventually } from "../../eventually.ts";
import { FaultProxy } from "../../fault-proxy.ts";
import { startRelay } from "./relays.ts";

function linkTo(addresses: string[], identity: Identity): RelayLink {
  const link = new RelayLink({
    ...{ addresses, identity, connected: () => {}, isIdle: () => true, warn: () => {} },
    events: { incoming: () => {}, joined: () => {}, presence: () => {} },
  });
  onTestFinished(() => link.end());
  return link;
}

/** A connection of this host with a given generation. */
async function connectionWith(identity: Identity, address: string, generation: bigint): Promise<WebSocket> {
  const socket = new WebSocket(address, "scorel-relay-1");
  onTestFinished(() => socket.terminate());
  const [challenge] = (await once(socket, "message")) as [Buffer];
  const [{ payload: nonce }] = decodeFrames(new Uint8Array(challenge), "relay", "host") as [Frame];
  const facts = { role: "host", nonce, generation, authority: authorityOf(address) } as const;
  const signature = await signHello(identity, facts);
  const { publicKeys } = identity;
  socket.send(encodeFrame("hello", 0n, helloPayload({ role: "host", generation, publicKeys, signature })));
  await once(socket, "message");
  return socket;
}

describe("the link of a host", () => {
  it("connects again after a hello that the network has delayed", async () => {
    await using proxy = new FaultProxy({ host: "127.0.0.1", port: 1 });
    const port = await proxy.listen();
    const relay = await startRelay({ helloMs: 1 }, { names: [`127.0.0.1:${port}`] });
    proxy.leadTo({ host: "127.0.0.1", port: relay.port });
    proxy.become({ delayMs: 700 });
    const link = linkTo([`ws://127.0.0.1:${port}/relay`], await createIdentity(nodeCrypto));
    await expect(link.connect()).rejects.toMatchObject({ data: { text: "No hello came in time." } });
    proxy.become({});
    await eventually(() => expect(link.connection).toBeDefined());
  });

  it("comes back when a connection that it made with a later clock is gone", async () => {
    const relay = await startRelay();
    const identity = await createIdentity(nodeCrypto);
    const former = await connectionWith(identity, relay.address, BigInt(Date.now()) * 2n);
    const link = linkTo([relay.address], identity);
    await expect(link.connect()).rejects.toMatchObject({ data: { reason: "superseded" } });
    former.terminate();
    await eventually(() => expect(link.connection).toBeDefined());
  });

  it("stops connecting when it is ended, so that the one that replaces it keeps its connection", async () => {
    const hung = createServer(() => {});
    hung.listen(0, "127.0.0.1");
    await once(hung, "listening");
    onTestFinished(() => void hung.close());
    const relay = await startRelay();
    const identity = await createIdentity(nodeCrypto);
    const { port } = hung.address() as { port: number };
    const former = linkTo([`ws://127.0.0.1:${port}/relay`, relay.address], identity);
    const refusal = { data: { reason: "this host has left it" } };
    const connecting = expect(former.connect()).rejects.toMatchObject(refusal);
    await once(hung, "connection");
    former.end();
    const next = linkTo([relay.address], identity);
    await next.connect();
    await connecting;
    await expect(former.connect()).rejects.toMatchObject(refusal);
    expect([next.connection?.isOpen, relay.relay.counts.hosts]).toEqual([true, 1]);
  });
});
