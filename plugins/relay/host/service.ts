import type { GatewayService } from "@scorel/gateway/contract";
import type { Scope } from "@scorel/kit/values/scopes";
import { errors } from "../errors.ts";
import { relayAddress } from "../peer/address.ts";
import type { RelayConnection } from "../peer/connection.ts";
import { relayAddresses } from "../peer/known-relays.ts";
import { base64url } from "../protocol/bytes.ts";
import { fingerprint } from "../protocol/identity.ts";
import { CODE_SECONDS } from "../protocol/pairing.ts";
import { checkName } from "../protocol/pairing-messages.ts";
import * as devices from "./devices.ts";
import { grantAnew } from "./grants.ts";
import { homeIdentity } from "./identity.ts";
import { Pairing } from "./pairing-host.ts";
import { groupOf, isShared, keepGroup, relayGroups } from "./relay-groups.ts";
import { RelayedHost } from "./relayed-host.ts";

interface ServiceOptions {
  gateway: Pick<GatewayService, "accept">;
  /** Relays from the configuration. */
  relays?: readonly string[];
  warn(message: string, thrown: unknown): void;
}

/** Implements the operations about pairing, in the background host. */
export class RelayService {
  readonly host: RelayedHost;
  private currentPairing: Pairing | undefined;

  private constructor(
    host: (joined: RelayService["join"], isPairing: (connection: RelayConnection) => boolean) => RelayedHost,
  ) {
    this.host = host(this.join, (connection) => this.currentPairing?.isAt(connection) === true);
  }

  static async begin({ gateway, relays = [], warn }: ServiceOptions): Promise<RelayService> {
    const identity = await homeIdentity();
    const service = new RelayService(
      (joined, isPairing) => new RelayedHost({ gateway, identity, joined, isPairing, warn }),
    );
    await takeConfigured(relays, warn);
    service.host.start();
    return service;
  }

  readonly join = (...[route, place]: Parameters<ConstructorParameters<typeof RelayedHost>[0]["joined"]>): void => {
    if (this.currentPairing?.place === place && this.currentPairing.state.state === "waiting")
      this.currentPairing.join(route);
    else route.close("refused");
  };

  /** Shows a new code at a relay: one of the given ones, or else of the host's first group. */
  async offer({
    relays,
    insecure = false,
    name,
  }: {
    relays?: readonly string[] | undefined;
    insecure?: boolean | undefined;
    name: string;
  }) {
    checkName(name);
    const group = relays === undefined ? relayGroups()[0] : groupOf(relayAddresses(relays, { insecure }));
    if (group === undefined) throw errors.RELAY_NONE();
    const connection = await this.host.enter(group);
    const { place, seconds } = await connection.offer();
    this.currentPairing?.end("another code was asked for");
    const { identity } = this.host;
    this.currentPairing = new Pairing(connection, place, { identity, name });
    return {
      code: this.currentPairing.code,
      hostId: base64url(identity.id),
      fingerprint: fingerprint(identity.id),
      relays: [...group.addresses],
      seconds: Math.min(seconds, CODE_SECONDS),
    };
  }

  pairing(code: string): Pairing {
    if (this.currentPairing?.code !== code) throw errors.RELAY_OFFER_UNKNOWN({ code });
    return this.currentPairing;
  }

  /** Passes on the answer of the host's user. A device that was paired before connects again at once, with its new rights. */
  async answer(code: string, accept: boolean, scopes: readonly Scope[]) {
    const paired = await this.pairing(code).answer(accept, scopes);
    if (paired) this.host.disconnect(paired.id);
    return paired;
  }

  async change(device: string, change: { name?: string | undefined; scopes?: Scope[] | undefined }) {
    const { name, scopes } = change;
    const changed = await devices.changeDevice(device, {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes }),
    });
    // The device connects again at once, with its new rights.
    this.host.disconnect(changed.id);
    return devices.shownDevice(changed);
  }

  renew(device: string) {
    return grantAnew(this.host.identity, device);
  }

  async revoke(device: string) {
    const gone = await devices.forgetDevice(device);
    await this.host.revoke(gone.id, BigInt(gone.serial));
    return devices.shownDevice(gone);
  }

  list() {
    const known = devices.hostRecord().devices.map(devices.shownDevice);
    const shown = known.map((device) => ({ ...device, connected: this.host.isConnected(device.id) }));
    return { devices: shown, relays: this.host.relays };
  }

  leave(relay: string): Promise<boolean> {
    return this.host.leave(relayAddress(relay, { insecure: true }));
  }

  end(): void {
    this.currentPairing?.end("the host stops");
    this.host.end();
  }
}

/** Stores the group from the configuration, if the host has a group that shares an address with it. Replaces that group. */
async function takeConfigured(relays: readonly string[], warn: ServiceOptions["warn"]): Promise<void> {
  try {
    const group = groupOf(relayAddresses(relays, { insecure: true }));
    const isKnown = relayGroups().some(({ addresses }) => isShared(addresses, group.addresses));
    if (isKnown) await keepGroup(group);
  } catch (thrown) {
    warn("The relays of the configuration are not taken", thrown);
  }
}
