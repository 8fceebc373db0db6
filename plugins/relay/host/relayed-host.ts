import type { GatewayService } from "@scorel/gateway/contract";
import { clientScope } from "@scorel/kit/values/scopes";
import { errors } from "../errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import type { RelayConnection } from "../peer/connection.ts";
import type { PeerRoute } from "../peer/route.ts";
import { routedChannel } from "../peer/routed-channel.ts";
import { addressesPayload } from "../protocol/addresses.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { signRevocation } from "../protocol/grants.ts";
import { type Identity, idOf, type PublicKeys } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { SecureChannel } from "../protocol/secure-channel.ts";
import { hostRecord } from "./devices.ts";
import { dropRelay, isShared, keepGroup, type RelayGroup, relayGroups } from "./relay-groups.ts";
import { RelayLink } from "./relay-link.ts";

/** Channels from one relay whose devices have not proved who they are, and the milliseconds that they have for it. */
const UNPROVEN = { max: 64, ms: 5_000 };

/** Channels that one device may have open, such as one for each tab of its browser: the host's room is for all of its clients. */
const MAX_CHANNELS = 32;

interface HostOptions {
  gateway: Pick<GatewayService, "accept">;
  identity: Identity;
  /** A guest has come to a place of this host. */
  joined(route: PeerRoute, place: string): void;
  /** Whether this host shows a code at this connection. */
  isPairing?(connection: RelayConnection): boolean;
  warn(message: string, thrown: unknown): void;
  /** Milliseconds after which the first relay is tried again; only tests have fewer. */
  returnMs?: number;
}

/** What comes through the relays of one group. */
interface Arrivals {
  /** Channels whose devices have not proved who they are. */
  unproven: Set<SecureChannel>;
  /** What each device is told of the relays. */
  tells: Bytes | undefined;
}

/** This host at its relays: lets in the devices that were paired with it. */
export class RelayedHost {
  readonly identity: Identity;
  readonly #options: HostOptions;
  /** One for each group of relays. */
  readonly #links = new Set<RelayLink>();
  /** Open channels by the id of their device. */
  readonly #channels = new Map<string, Set<SecureChannel>>();

  constructor(options: HostOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  /** Connects with all relays that the host is to be reached through. Those that do not answer are tried again. */
  start(): void {
    for (const group of relayGroups()) this.#linkTo(group).start();
  }

  get hasRelays(): boolean {
    return this.#links.size > 0;
  }

  get relays(): { address: string; state: string }[] {
    return [...this.#links].flatMap((link) => link.states);
  }

  isConnected(device: string): boolean {
    return this.#channels.has(device);
  }

  /**
   * Connects with one of these relays, and from now on each time the host runs. Devices that came through others in their place come back by
   * themselves, and learn of it then. Throws RELAY_UNREACHABLE, RELAY_REFUSED, RELAY_HOST_APART.
   */
  async enter(group: RelayGroup): Promise<RelayConnection> {
    const same = this.#linksOf(group).find(({ addresses }) => addresses.join() === group.addresses.join());
    if (!same) for (const replaced of this.#linksOf(group)) this.#unlink(replaced);
    const link = same ?? this.#linkTo(group);
    try {
      const connection = await link.connect();
      await keepGroup(group);
      return connection;
    } catch (thrown) {
      // A relay that was never reached may be a mistake in typing.
      if (!same) this.#unlink(link);
      for (const before of relayGroups().filter(({ addresses }) => isShared(addresses, group.addresses)))
        if (this.#linksOf(before).length === 0) this.#linkTo(before).start();
      throw thrown;
    }
  }

  /** Returns whether the host had this relay. With the others of its group, it stays connected. */
  async leave(address: string): Promise<boolean> {
    const before = relayGroups().find(({ addresses }) => addresses.includes(address));
    const left = (before?.addresses ?? []).filter((each) => each !== address);
    const links = this.#linksOf({ addresses: [address] });
    for (const link of links) this.#unlink(link);
    await dropRelay(address);
    if (left.length > 0) this.#linkTo({ addresses: left, isTold: true }).start();
    return before !== undefined || links.length > 0;
  }

  #linksOf({ addresses }: Pick<RelayGroup, "addresses">): RelayLink[] {
    return [...this.#links].filter((link) => isShared(link.addresses, addresses));
  }

  /** Ends the connections of a device, as when it may do something else now, or nothing. */
  disconnect(device: string): void {
    for (const channel of this.#channels.get(device) ?? []) channel.close();
  }

  /** Tells all relays that a device's grants count no more. Those that are not connected are told when they are. */
  async revoke(device: string, serial: bigint): Promise<void> {
    const revocation = await this.#revocation(device, serial);
    for (const link of this.#links) link.connection?.revoke(revocation);
    this.disconnect(device);
  }

  end(): void {
    for (const link of [...this.#links]) this.#unlink(link);
  }

  #linkTo({ addresses, isTold }: RelayGroup): RelayLink {
    const { identity, joined, isPairing, warn, returnMs } = this.#options;
    const arrivals = { unproven: new Set<SecureChannel>(), tells: isTold ? addressesPayload(addresses) : undefined };
    const link: RelayLink = new RelayLink({
      ...{ addresses, identity, warn, returnMs },
      isIdle: () => {
        const { connection } = link;
        return !connection || (connection.routes === 0 && !isPairing?.(connection));
      },
      connected: (connection) =>
        void this.#tellRevocations(connection).catch((thrown) => warn("Revocations were not sent", thrown)),
      events: {
        incoming: (route, keys) =>
          void this.#letIn(route, keys, arrivals).catch((thrown) => warn("A device was refused", thrown)),
        joined,
        presence: () => {},
      },
    });
    this.#links.add(link);
    return link;
  }

  #unlink(link: RelayLink): void {
    link.end();
    this.#links.delete(link);
  }

  async #tellRevocations(connection: RelayConnection): Promise<void> {
    for (const { id, serial } of hostRecord().revoked) connection.revoke(await this.#revocation(id, BigInt(serial)));
  }

  #revocation(device: string, serial: bigint): Promise<Bytes> {
    return signRevocation(this.identity, { clientId: fromBase64url(device) as Bytes, serial });
  }

  /** Begins the encrypted channel with a device that a relay leads here. Whoever it is, only the device's keys open it. */
  async #letIn(route: PeerRoute, keys: PublicKeys, { unproven, tells }: Arrivals): Promise<void> {
    const id = base64url(await idOf(nodeCrypto, keys));
    if (!hostRecord().devices.some((each) => each.id === id)) return route.close("refused");
    // A relay knows public keys, and can come with as many routes as it likes.
    if (unproven.size >= UNPROVEN.max) return route.close("limit");
    const limit = setTimeout(() => channel.close(), UNPROVEN.ms);
    limit.unref();
    const proven = () => {
      clearTimeout(limit);
      unproven.delete(channel);
    };
    const channel = routedChannel({
      ...{ role: "host", identity: this.identity, peer: keys, route, primitives: nodeCrypto, tells },
      opened: () => {
        proven();
        this.#enter(id, channel);
      },
      ended: () => {
        proven();
        this.#forget(id, channel);
      },
    });
    unproven.add(channel);
  }

  /** Gives the gateway a channel whose other end is this device. */
  #enter(id: string, channel: SecureChannel): void {
    const channels = this.#channels.get(id) ?? new Set();
    this.#channels.set(id, channels.add(channel));
    this.#options.gateway.accept(channel, {
      transport: "relay",
      tooMany: channels.size > MAX_CHANNELS ? { max: MAX_CHANNELS, of: "this device" } : undefined,
      admit: ({ name }) => {
        // Now, since the device may have been revoked while it connected.
        const device = hostRecord().devices.find((each) => each.id === id);
        if (!device) throw errors.RELAY_NOT_PAIRED();
        const scope = clientScope(device.scopes);
        const admission = { identity: id, name: scope === undefined ? (name ?? device.name) : device.name };
        return scope === undefined ? admission : { ...admission, scope, scopes: device.scopes };
      },
    });
  }

  #forget(id: string, channel: SecureChannel): void {
    const channels = this.#channels.get(id);
    channels?.delete(channel);
    if (channels?.size === 0) this.#channels.delete(id);
  }
}
