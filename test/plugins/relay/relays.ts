import { expect, onTestFinished } from "vitest";
import type { WebSocket } from "ws";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import {
  type BinarySocket,
  connectRelay,
  type PeerEvents,
  type RelayConnection,
  type Who,
} from "../../../plugins/relay/peer/connection.ts";
import { nodeSocket } from "../../../plugins/relay/peer/node-socket.ts";
import type { PeerRoute } from "../../../plugins/relay/peer/route.ts";
import { utf8 } from "../../../plugins/relay/protocol/bytes.ts";
import { signGrant } from "../../../plugins/relay/protocol/grants.ts";
import { createIdentity, type Identity } from "../../../plugins/relay/protocol/identity.ts";
import type { Bus } from "../../../plugins/relay/server/bus/bus.ts";
import { DEFAULT_LIMITS, type RelayLimits } from "../../../plugins/relay/server/limits.ts";
import { type ListeningRelay, listenAsRelay } from "../../../plugins/relay/server/listen.ts";
import { type Revocations, StoredRevocations } from "../../../plugins/relay/server/revocations.ts";
import type { Settings } from "../../../plugins/relay/server/settings.ts";

/** Seconds in a year, for which grants are valid. */
const YEAR = 365n * 24n * 60n * 60n;

/** Everything that a peer received, in order; `next` waits for the next item. */
export class Heard<T> {
  readonly all: T[] = [];
  readonly #waiting: ((one: T) => void)[] = [];
  #read = 0;

  readonly add = (one: T): void => {
    this.all.push(one);
    const next = this.#waiting.shift();
    if (next) {
      this.#read++;
      next(one);
    }
  };

  next(): Promise<T> {
    if (this.#read < this.all.length) return Promise.resolve(this.all[this.#read++] as T);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export interface TestRelay extends ListeningRelay {
  host(identity?: Identity): Promise<TestPeer>;
  client(identity?: Identity): Promise<TestPeer>;
  guest(): Promise<TestPeer>;
}

export interface TestPeer {
  connection: RelayConnection;
  /** The WebSocket of the connection. */
  socket: WebSocket;
  identity: Identity;
  routes: Heard<PeerRoute>;
  presence: Heard<boolean>;
  refused: Heard<string>;
  closed: Heard<string>;
}

/** Starts a relay on a free port, which is stopped after the test. */
export async function startRelay(
  limits: Partial<RelayLimits> = {},
  {
    revocations = new StoredRevocations(undefined, Date.now()),
    bus,
    ...settings
  }: Partial<Settings> & { revocations?: Revocations; bus?: Bus } = {},
): Promise<TestRelay> {
  const listening = await listenAsRelay(
    { port: 0, bind: "127.0.0.1", tls: undefined, names: [], behindProxy: false, ...settings },
    { revocations, limits: { ...DEFAULT_LIMITS, ...limits }, warn: () => {}, ...(bus && { bus }) },
  );
  onTestFinished(() => listening.close());
  const as = async (role: "host" | "client" | "guest", identity: Identity) =>
    connectTo(listening.address, role === "guest" ? { role } : { role, identity }, identity);
  return {
    ...listening,
    host: async (identity) => as("host", identity ?? (await createIdentity(nodeCrypto))),
    client: async (identity) => as("client", identity ?? (await createIdentity(nodeCrypto))),
    guest: async () => as("guest", await createIdentity(nodeCrypto)),
  };
}

export async function connectTo(address: string, who: Who, identity: Identity): Promise<TestPeer> {
  const [routes, presence] = [new Heard<PeerRoute>(), new Heard<boolean>()];
  const [refused, closed] = [new Heard<string>(), new Heard<string>()];
  const events: PeerEvents = {
    incoming: routes.add,
    joined: routes.add,
    presence: (_id, isThere) => presence.add(isThere),
    refused: ({ data }) => refused.add(String((data as { reason?: string }).reason)),
    closed: ({ code, data }) => closed.add(String((data as { reason?: string }).reason ?? code)),
  };
  let socket: BinarySocket | undefined;
  const make = (...given: Parameters<typeof nodeSocket>) => {
    socket = nodeSocket(...given);
    return socket;
  };
  const connection = await connectRelay({ address, who, primitives: nodeCrypto, make, events });
  onTestFinished(() => connection.close());
  return { connection, socket: socket as unknown as WebSocket, identity, routes, presence, refused, closed };
}

/** A grant of a host for a client, valid for a year. */
export function grantFor(
  host: Identity,
  client: Identity,
  serial = 1n,
  notAfter = BigInt(Math.floor(Date.now() / 1000)) + YEAR,
) {
  return signGrant(host, { clientId: client.id, serial, notAfter });
}

/** Collects the data of a route as texts, and the reason why it closed. */
export function listen(route: PeerRoute): { texts: Heard<string>; closed: Heard<string> } {
  const [texts, closed] = [new Heard<string>(), new Heard<string>()];
  route.use({
    data: (bytes) => texts.add(new TextDecoder().decode(bytes)),
    closed: (reason, thrown) =>
      closed.add(thrown && "data" in thrown ? String((thrown.data as { reason?: string }).reason) : reason),
  });
  return { texts, closed };
}

export function say(route: PeerRoute, text: string): void {
  route.send(utf8(text));
}

/** Checks that when a client does not read, only its route from the host is closed, and both connections stay open. */
export async function expectOnlyRouteClosed(host: TestPeer, address: string): Promise<void> {
  const reader = await createIdentity(nodeCrypto);
  const stuck = await connectTo(address, { role: "client", identity: reader }, reader);
  const route = listen(stuck.connection.open(await grantFor(host.identity, reader)));
  const here = await host.routes.next();
  const atHost = listen(here);
  stuck.socket.pause();
  // Sends more than the system buffers.
  for (let sent = 0; sent < 400; sent++) here.send(new Uint8Array(60_000));
  expect(await atHost.closed.next()).toBe("limit");
  stuck.socket.resume();
  expect(await route.closed.next()).toBe("limit");
  expect([host.connection.isOpen, stuck.connection.isOpen]).toEqual([true, true]);
}
