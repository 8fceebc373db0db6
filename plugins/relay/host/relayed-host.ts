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

/**
 * The most channels from one group of relays whose devices have not proved their identity, and the milliseconds that they have to do so.
 */
const UNPROVEN = { max: 64, ms: 5_000 };

/**
 * The most channels that one device may have open, such as one for each tab of its browser, so that one device cannot use up the host's
 * connections.
 */
const MAX_CHANNELS = 32;

interface HostOptions {
  gateway: Pick<GatewayService, "accept">;
  identity: Identity;
  /** Called when a guest has opened a route to a pairing place of this host. */
  joined(route: PeerRoute, place: string): void;
  /** Whether this host shows a pairing code at this connection. */
  isPairing?(connection: RelayConnection): boolean;
  warn(message: string, thrown: unknown): void;
  /** Milliseconds after which the first relay is tried again; only tests set a shorter time. */
  returnMs?: number;
}

/** State shared by the routes that arrive through one group of relays. */
interface Arrivals {
  /** Channels whose devices have not proved their identity yet. */
  unproven: Set<SecureChannel>;
  /** The relays' addresses, which each device gets in the handshake; undefined if devices are not told. */
  tells: Bytes | undefined;
}

/** Connects this host to its relays, and lets in paired devices. */
export class RelayedHost {
  readonly identity: Identity;
  private readonly options: HostOptions;
  /** One link for each group of relays. */
  private readonly links = new Set<RelayLink>();
  /** Open channels, by the id of the device. */
  private readonly channels = new Map<string, Set<SecureChannel>>();

  constructor(options: HostOptions) {
    this.options = options;
    this.identity = options.identity;
  }

  /** Connects to all groups of relays of this host. Those that cannot be reached are tried again. */
  start(): void {
    for (const group of relayGroups()) this.linkTo(group).start();
  }

  get hasRelays(): boolean {
    return this.links.size > 0;
  }

  get relays(): { address: string; state: string }[] {
    return [...this.links].flatMap((link) => link.states);
  }

  isConnected(device: string): boolean {
    return this.channels.has(device);
  }

  /**
   * Connects to one relay of a group, and stores the group if that succeeds. It replaces stored groups that share an address with it;
   * devices that were connected through those come back by themselves, and then learn the new addresses. Throws RELAY_UNREACHABLE,
   * RELAY_REFUSED, RELAY_HOST_APART.
   */
  async enter(group: RelayGroup): Promise<RelayConnection> {
    const same = this.linksOf(group).find(({ addresses }) => addresses.join() === group.addresses.join());
    if (!same) for (const replaced of this.linksOf(group)) this.unlink(replaced);
    const link = same ?? this.linkTo(group);
    try {
      const connection = await link.connect();
      await keepGroup(group);
      return connection;
    } catch (thrown) {
      // A relay that was never reached may be a typing mistake.
      if (!same) this.unlink(link);
      for (const before of relayGroups().filter(({ addresses }) => isShared(addresses, group.addresses)))
        if (this.linksOf(before).length === 0) this.linkTo(before).start();
      throw thrown;
    }
  }

  /** Removes a relay. If its group has others, the host stays connected through them. Returns false if the host did not have this relay. */
  async leave(address: string): Promise<boolean> {
    const before = relayGroups().find(({ addresses }) => addresses.includes(address));
    const left = (before?.addresses ?? []).filter((each) => each !== address);
    const links = this.linksOf({ addresses: [address] });
    for (const link of links) this.unlink(link);
    await dropRelay(address);
    if (left.length > 0) this.linkTo({ addresses: left, isTold: true }).start();
    return before !== undefined || links.length > 0;
  }

  private linksOf({ addresses }: Pick<RelayGroup, "addresses">): RelayLink[] {
    return [...this.links].filter((link) => isShared(link.addresses, addresses));
  }

  /** Closes the channels of a device, because its rights have changed or ended. */
  disconnect(device: string): void {
    for (const channel of this.channels.get(device) ?? []) channel.cut();
  }

  /**
   * Sends the revocation of a device's grants to all connected relays, and closes the device's channels. Other relays get it when they are
   * connected.
   */
  async revoke(device: string, serial: bigint): Promise<void> {
    const revocation = await this.revocation(device, serial);
    for (const link of this.links) link.connection?.revoke(revocation);
    this.disconnect(device);
  }

  end(): void {
    for (const link of [...this.links]) this.unlink(link);
  }

  private linkTo({ addresses, isTold }: RelayGroup): RelayLink {
    const { identity, joined, isPairing, warn, returnMs } = this.options;
    const arrivals = { unproven: new Set<SecureChannel>(), tells: isTold ? addressesPayload(addresses) : undefined };
    const link: RelayLink = new RelayLink({
      ...{ addresses, identity, warn, returnMs },
      isIdle: () => {
        const { connection } = link;
        return !connection || (connection.routes === 0 && !isPairing?.(connection));
      },
      connected: (connection) =>
        void this.tellRevocations(connection).catch((thrown) => warn("Revocations were not sent", thrown)),
      events: {
        incoming: (route, keys) =>
          void this.letIn(route, keys, arrivals).catch((thrown) => warn("A device was refused", thrown)),
        joined,
        presence: () => {},
      },
    });
    this.links.add(link);
    return link;
  }

  private unlink(link: RelayLink): void {
    link.end();
    this.links.delete(link);
  }

  private async tellRevocations(connection: RelayConnection): Promise<void> {
    for (const { id, serial } of hostRecord().revoked) connection.revoke(await this.revocation(id, BigInt(serial)));
  }

  private revocation(device: string, serial: bigint): Promise<Bytes> {
    return signRevocation(this.identity, { clientId: fromBase64url(device) as Bytes, serial });
  }

  /** Starts the encrypted channel with a device that a relay leads here. Only the holder of the device's keys can open it. */
  private async letIn(route: PeerRoute, keys: PublicKeys, { unproven, tells }: Arrivals): Promise<void> {
    const id = base64url(await idOf(nodeCrypto, keys));
    if (!hostRecord().devices.some((each) => each.id === id)) return route.close("refused");
    // A relay knows public keys, and could open any number of routes with them.
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
        this.admit(id, channel);
      },
      ended: () => {
        proven();
        this.forget(id, channel);
      },
    });
    unproven.add(channel);
  }

  /** Passes a channel whose device has proved its identity to the gateway. */
  private admit(id: string, channel: SecureChannel): void {
    const channels = this.channels.get(id) ?? new Set();
    this.channels.set(id, channels.add(channel));
    this.options.gateway.accept(channel, {
      transport: "relay",
      tooMany: channels.size > MAX_CHANNELS ? { max: MAX_CHANNELS, of: "this device" } : undefined,
      admit: ({ name }) => {
        // Checked again, since the device may have been revoked while it connected.
        const device = hostRecord().devices.find((each) => each.id === id);
        if (!device) throw errors.RELAY_NOT_PAIRED();
        const scope = clientScope(device.scopes);
        const admission = { identity: id, name: scope === undefined ? (name ?? device.name) : device.name };
        return scope === undefined ? admission : { ...admission, scope, scopes: device.scopes };
      },
    });
  }

  private forget(id: string, channel: SecureChannel): void {
    const channels = this.channels.get(id);
    channels?.delete(channel);
    if (channels?.size === 0) this.channels.delete(id);
  }
}
