import type { GatewayService } from "@scorel/gateway/contract";
import { clientScope } from "@scorel/kit/values/scopes";
import { errors } from "../errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import type { RelayConnection } from "../peer/connection.ts";
import type { PeerRoute } from "../peer/route.ts";
import { routedChannel } from "../peer/routed-channel.ts";
import { base64url, fromBase64url } from "../protocol/bytes.ts";
import { signRevocation } from "../protocol/grants.ts";
import { type Identity, idOf, type PublicKeys } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { SecureChannel } from "../protocol/secure-channel.ts";
import { addRelay, hostRecord, removeRelay } from "./devices.ts";
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
  warn(message: string, thrown: unknown): void;
}

/** This host at its relays: lets in the devices that were paired with it. */
export class RelayedHost {
  readonly identity: Identity;
  readonly #options: HostOptions;
  readonly #links = new Map<string, RelayLink>();
  /** Open channels by the id of their device. */
  readonly #channels = new Map<string, Set<SecureChannel>>();

  constructor(options: HostOptions) {
    this.#options = options;
    this.identity = options.identity;
  }

  /** Connects with all relays that the host is to be reached through. Those that do not answer are tried again. */
  start(): void {
    for (const address of hostRecord().relays) this.#linkTo(address).start();
  }

  get hasRelays(): boolean {
    return this.#links.size > 0;
  }

  get relays(): { address: string; state: string }[] {
    return [...this.#links].map(([address, link]) => ({ address, state: link.state }));
  }

  isConnected(device: string): boolean {
    return this.#channels.has(device);
  }

  /** Connects with a relay, and from now on each time the host runs. Throws RELAY_UNREACHABLE, RELAY_REFUSED. */
  async enter(address: string): Promise<RelayConnection> {
    const isNew = !this.#links.has(address);
    try {
      const connection = await this.#linkTo(address).connect();
      await addRelay(address);
      return connection;
    } catch (thrown) {
      // A relay that was never reached may be a mistake in typing.
      if (isNew) this.#unlink(address);
      throw thrown;
    }
  }

  async leave(address: string): Promise<boolean> {
    const wasThere = this.#links.has(address) || hostRecord().relays.includes(address);
    this.#unlink(address);
    await removeRelay(address);
    return wasThere;
  }

  /** Ends the connections of a device, as when it may do something else now, or nothing. */
  disconnect(device: string): void {
    for (const channel of this.#channels.get(device) ?? []) channel.close();
  }

  /** Tells all relays that a device's grants count no more. Those that are not connected are told when they are. */
  async revoke(device: string, serial: bigint): Promise<void> {
    const revocation = await this.#revocation(device, serial);
    for (const link of this.#links.values()) link.connection?.revoke(revocation);
    this.disconnect(device);
  }

  end(): void {
    for (const address of [...this.#links.keys()]) this.#unlink(address);
  }

  #linkTo(address: string): RelayLink {
    const known = this.#links.get(address);
    if (known) return known;
    const { identity, joined, warn } = this.#options;
    const unproven = new Set<SecureChannel>();
    const link = new RelayLink({
      ...{ address, identity, warn },
      connected: (connection) =>
        void this.#tellRevocations(connection).catch((thrown) => warn("Revocations were not sent", thrown)),
      events: {
        incoming: (route, keys) =>
          void this.#letIn(route, keys, unproven).catch((thrown) => warn("A device was refused", thrown)),
        joined,
        presence: () => {},
      },
    });
    this.#links.set(address, link);
    return link;
  }

  #unlink(address: string): void {
    this.#links.get(address)?.end();
    this.#links.delete(address);
  }

  async #tellRevocations(connection: RelayConnection): Promise<void> {
    for (const { id, serial } of hostRecord().revoked) connection.revoke(await this.#revocation(id, BigInt(serial)));
  }

  #revocation(device: string, serial: bigint): Promise<Bytes> {
    return signRevocation(this.identity, { clientId: fromBase64url(device) as Bytes, serial });
  }

  /** Begins the encrypted channel with a device that a relay leads here. Whoever it is, only the device's keys open it. */
  async #letIn(route: PeerRoute, keys: PublicKeys, unproven: Set<SecureChannel>): Promise<void> {
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
      ...{ role: "host", identity: this.identity, peer: keys, route, primitives: nodeCrypto },
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
