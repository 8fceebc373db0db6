import { connectHost, type RemoteClient } from "@scorel/host/client";
import type { Client, Delivered, HostService } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { Gateway } from "../../plugins/gateway/gateway.ts";
import { reachable } from "../../plugins/relay/client/dial.ts";
import { addDevice } from "../../plugins/relay/host/devices.ts";
import { groupOf } from "../../plugins/relay/host/relay-groups.ts";
import { RelayedHost } from "../../plugins/relay/host/relayed-host.ts";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import { dialHost } from "../../plugins/relay/peer/dial.ts";
import { nodeSocket } from "../../plugins/relay/peer/node-socket.ts";
import { base64url } from "../../plugins/relay/protocol/bytes.ts";
import { createIdentity, joinKeys } from "../../plugins/relay/protocol/identity.ts";
import { eventually } from "../eventually.ts";
import { startModelServer, text, wait } from "../model-server.ts";
import { NatsServer } from "../nats.ts";
import { describeWith } from "../optional.ts";
import { agentHost } from "../plugins/host/agent-host.ts";
import { testHome } from "../plugins/host/home.ts";
import { View } from "../plugins/host/view.ts";
import { grantFor } from "../plugins/relay/relays.ts";
import { RelayCommand } from "../relay-command.ts";

/** `KILLS=50` repeats kills more often. */
const kills = Number(process.env.KILLS ?? 6);
/** Milliseconds for a relay to start on a busy machine and for its clients to come back. */
const AGAIN_MS = 12_000;

/** A client that collects the events of a session, in which messages are sent all the time. */
class Watcher {
  readonly view = new View();
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async watch(sessionId: string): Promise<void> {
    const hear = (delivered: Delivered) => this.view.hear(delivered);
    const resumed = (mode: Parameters<View["begin"]>[0]) => this.view.begin(mode);
    await this.#client.subscribe(sessionId, hear, { resumed, tail: Number.POSITIVE_INFINITY });
  }

  get last(): number {
    return this.view.stored.at(-1)?.seq ?? 0;
  }
}

/** Sends messages one after another until it is stopped. */
function talk(client: Client, sessionId: string): { stop(): Promise<void> } {
  let isOver = false;
  const talking = (async () => {
    while (!isOver) {
      const { id } = await client.request("send_message", { sessionId, content: "go on" });
      await client.request("wait_turn", { sessionId, id });
    }
  })();
  return {
    stop: () => {
      isOver = true;
      return talking;
    },
  };
}

/** A host connected to one relay, and clients connected to others. */
async function stage(relays: readonly RelayCommand[]) {
  const home = testHome();
  const server = await startModelServer(() => [text("some words of a reply", 3), wait(100)]);
  const t = await agentHost(server.baseUrl);
  const logger = { info: () => {}, warn: () => {} };
  const gateway = new Gateway({ host: t.kernel.find("host") as HostService, version: "1.0.0", logger });
  const identity = await createIdentity(nodeCrypto);
  const host = new RelayedHost({ gateway, identity, joined: () => {}, warn: () => {} });
  await host.enter(groupOf([(relays[0] as RelayCommand).address]));
  const device = await createIdentity(nodeCrypto);
  await addDevice(device.publicKeys, { id: base64url(device.id), name: "device", scopes: ["view"], serial: "1" });
  const grant = await grantFor(identity, device);
  const clients: RemoteClient[] = [];
  const connect = async (relay: RelayCommand) => {
    const keys = base64url(joinKeys(identity.publicKeys));
    const paired = { id: base64url(identity.id), keys, name: "desk", relay: relay.address, grant: base64url(grant) };
    const target = reachable({ ...paired, scopes: ["view"], pairedAt: 1 });
    const client = await eventually(() =>
      connectHost({
        dial: () => dialHost({ host: target, identity: device, primitives: nodeCrypto, make: nodeSocket }),
        version: "1.0.0",
        // Something is killed every second here. With the default, clients would count this as one long outage and wait
        // longer each time.
        times: { healthy: 500 },
      }),
    );
    clients.push(client);
    return client;
  };
  return {
    own: t.client,
    cwd: home.cwd,
    connect,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(clients.map((client) => client.close()));
      host.end();
      await gateway.dismiss("the test ends", false);
      await t.kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] as number;
}

describeWith("nats", "three relays with three NATS servers", () => {
  it(`lose and reorder nothing when ${kills} of them are killed in turn`, { timeout: 60_000 * kills }, async () => {
    const nats = await NatsServer.cluster(3);
    const urls = nats.map(({ url }) => url);
    // Each relay has another preferred server.
    const relays = urls.map((_, index) => new RelayCommand([...urls.slice(index), ...urls.slice(0, index)].join(",")));
    try {
      await Promise.all(relays.map((relay) => relay.start()));
      await using t = await stage(relays);
      const { sessionId } = await t.own.request("create_session", { cwd: t.cwd });
      const far = await Promise.all(relays.slice(1).map(async (relay) => new Watcher(await t.connect(relay))));
      const own = new Watcher(t.own);
      for (const each of [own, ...far]) await each.watch(sessionId);
      const talking = talk(t.own, sessionId);
      const took: number[] = [];
      try {
        const victims = relays.flatMap((relay, index) => [relay, nats[index] as NatsServer]);
        for (let kill = 0; kill < kills; kill++) {
          const victim = victims[kill % victims.length] as RelayCommand | NatsServer;
          await victim.kill();
          const killed = performance.now();
          const before = own.last;
          const starting = victim.start().then(() => performance.now());
          const heard = far.map(async (each) => {
            await eventually(() => expect(each.last).toBeGreaterThan(before));
            return performance.now();
          });
          const again = Math.max(...(await Promise.all(heard)));
          const started = await starting;
          // Only clients that were connected to a killed relay wait until it runs again.
          const since = victim instanceof RelayCommand ? Math.min(started, again) : killed;
          took.push(again - since);
          expect(again - killed).toBeLessThan(AGAIN_MS);
          const name = `${victim instanceof RelayCommand ? "relay" : "nats"} ${Math.floor((kill % 6) / 2)}`;
          console.log(
            `${name}: ${Math.round(again - killed)} ms after it was killed, ${Math.round(again - since)} ms after it could be`,
          );
        }
      } finally {
        await talking.stop();
      }
      await eventually(() => expect(far.map(({ last }) => last)).toEqual([own.last, own.last]));
      for (const each of far) expect(each.view.stored).toEqual(own.view.stored);
      const sorted = took.toSorted((a, b) => a - b);
      console.log(
        `streaming again: p50 ${Math.round(percentile(sorted, 0.5))} ms, p99 ${Math.round(percentile(sorted, 0.99))} ms`,
      );
    } finally {
      for (const relay of relays) relay[Symbol.dispose]();
      for (const server of nats) await server[Symbol.asyncDispose]();
    }
  });
});
