import type { GatewayService } from "@scorel/gateway/contract";
import type { Scope } from "@scorel/kit/values/scopes";
import { errors } from "../errors.ts";
import { relayAddress } from "../peer/address.ts";
import { base64url } from "../protocol/bytes.ts";
import { fingerprint } from "../protocol/identity.ts";
import { CODE_SECONDS } from "../protocol/pairing.ts";
import * as devices from "./devices.ts";
import { grantAnew } from "./grants.ts";
import { homeIdentity } from "./identity.ts";
import { Pairing } from "./pairing-host.ts";
import { RelayedHost } from "./relayed-host.ts";

interface ServiceOptions {
  gateway: Pick<GatewayService, "accept">;
  warn(message: string, thrown: unknown): void;
}

/** What the operations about pairing do, in the host that runs in the background. */
export class RelayService {
  readonly host: RelayedHost;
  #pairing: Pairing | undefined;

  private constructor(host: (joined: RelayService["join"]) => RelayedHost) {
    this.host = host(this.join);
  }

  static async begin({ gateway, warn }: ServiceOptions): Promise<RelayService> {
    const identity = await homeIdentity();
    const service = new RelayService((joined) => new RelayedHost({ gateway, identity, joined, warn }));
    service.host.start();
    return service;
  }

  readonly join = (...[route, place]: Parameters<ConstructorParameters<typeof RelayedHost>[0]["joined"]>): void => {
    if (this.#pairing?.place === place && this.#pairing.state.state === "waiting") this.#pairing.join(route);
    else route.close("refused");
  };

  /** A new code at a relay: the one named, or the first that the host knows. */
  async offer({
    relay,
    insecure = false,
    name,
  }: {
    relay?: string | undefined;
    insecure?: boolean | undefined;
    name: string;
  }) {
    const address = relay === undefined ? devices.hostRecord().relays[0] : relayAddress(relay, { insecure });
    if (address === undefined) throw errors.RELAY_NONE();
    const connection = await this.host.enter(address);
    const { place, seconds } = await connection.offer();
    this.#pairing?.end("another code was asked for");
    const { identity } = this.host;
    this.#pairing = new Pairing(connection, place, { identity, name });
    return {
      code: this.#pairing.code,
      hostId: base64url(identity.id),
      fingerprint: fingerprint(identity.id),
      relay: address,
      seconds: Math.min(seconds, CODE_SECONDS),
    };
  }

  pairing(code: string): Pairing {
    if (this.#pairing?.code !== code) throw errors.RELAY_OFFER_UNKNOWN({ code });
    return this.#pairing;
  }

  async change(device: string, change: { name?: string | undefined; scopes?: Scope[] | undefined }) {
    const { name, scopes } = change;
    const changed = await devices.changeDevice(device, {
      ...(name !== undefined && { name }),
      ...(scopes !== undefined && { scopes }),
    });
    // It comes back at once, and may do then what it may do now.
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
    this.#pairing?.end("the host stops");
    this.host.end();
  }
}
