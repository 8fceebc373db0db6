import type { Scope } from "@scorel/kit/values/scopes";
import type { PairedDevice, PairingState } from "../contract.ts";
import { errors } from "../errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import type { RelayConnection } from "../peer/connection.ts";
import type { PeerRoute } from "../peer/route.ts";
import { base64url } from "../protocol/bytes.ts";
import { createCode, showCode } from "../protocol/code.ts";
import { grantFrom } from "../protocol/grants.ts";
import { fingerprint, type Identity } from "../protocol/identity.ts";
import { CODE_SECONDS, type HostRun, type PairedPeer, PairingOffer } from "../protocol/pairing.ts";
import * as devices from "./devices.ts";

/** Milliseconds after which `follow` returns although nothing has changed. */
const FOLLOW_MS = 20_000;
const LOST = "the connection with the relay was lost";

interface Asked {
  route: PeerRoute;
  run: HostRun;
  guest: PairedPeer;
}

/** A code that this host shows, from its creation until the host's user has answered or it ends. */
export class Pairing {
  readonly code: string;
  readonly place: string;
  private readonly identity: Identity;
  private readonly offer: PairingOffer;
  private readonly connection: RelayConnection;
  private readonly listeners = new Set<() => void>();
  private readonly limit: NodeJS.Timeout;
  private unwatch = () => {};
  private asked: Asked | undefined;
  private ended: string | undefined;

  constructor(connection: RelayConnection, place: string, { identity, name }: { identity: Identity; name: string }) {
    const code = createCode(nodeCrypto, place);
    this.code = showCode(code);
    this.place = place;
    this.identity = identity;
    this.connection = connection;
    this.offer = new PairingOffer({ primitives: nodeCrypto, code, identity, name, now: () => performance.now() });
    this.limit = setTimeout(() => this.end("its time is over"), CODE_SECONDS * 1_000);
    this.limit.unref();
    // The relay withdraws the code when it loses the host.
    this.unwatch = connection.whenClosed(() => this.end(LOST));
  }

  /** Whether the code can still be used through this connection. */
  isAt(connection: RelayConnection): boolean {
    return this.ended === undefined && this.connection === connection;
  }

  get state(): PairingState {
    if (this.ended !== undefined) return { state: "ended", reason: this.ended };
    if (!this.asked) return { state: "waiting" };
    const { name, id } = this.asked.guest;
    return { state: "asked", device: { name, fingerprint: fingerprint(id) } };
  }

  /** Returns the state as soon as it differs from `known`, or after FOLLOW_MS. */
  async follow(known: PairingState["state"]): Promise<PairingState> {
    if (this.state.state !== known) return this.state;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(limit);
        this.listeners.delete(done);
        resolve();
      };
      const limit = setTimeout(done, FOLLOW_MS);
      this.listeners.add(done);
    });
    return this.state;
  }

  /** Takes a guest that has used the code. Each message of the guest is a step of its run; a failure ends the run, but not the code. */
  join(route: PeerRoute): void {
    const run = this.offer.join(route.id);
    route.use({
      data: (bytes) => {
        run.receive(bytes).then(
          ({ reply, guest }) => {
            route.send(reply);
            if (guest) this.ask({ route, run, guest });
          },
          () => {
            route.close("refused");
            const reason = this.offer.ended;
            if (reason !== undefined && !this.asked) this.end(reason);
          },
        );
      },
      closed: (reason) => {
        if (this.asked?.route === route) this.end(reason === "lost" ? LOST : "the other computer has left");
      },
    });
  }

  /**
   * Passes on the answer of the host's user. The answer no also withdraws a code that no device has used yet, and resolves with
   * undefined. Throws RELAY_OFFER_UNKNOWN for a code that has ended, and for the answer yes while no device waits for it.
   */
  async answer(accept: boolean, scopes: readonly Scope[]): Promise<PairedDevice | undefined> {
    const asked = this.asked;
    if (this.ended !== undefined || (accept && !asked)) throw errors.RELAY_OFFER_UNKNOWN({ code: this.code });
    if (!accept || !asked) {
      this.end(asked ? "the user has said no" : "it was withdrawn");
      return undefined;
    }
    // The answer has come in time.
    clearTimeout(this.limit);
    try {
      const id = await this.accept(asked, scopes);
      // The guest closes the route when it has the message.
      this.asked = undefined;
      this.end("it was used");
      return devices.shownDevice(devices.deviceNamed(id));
    } catch (thrown) {
      // The steps of a pairing cannot be repeated, so the guest needs another code.
      this.end("the device could not be added");
      throw thrown;
    }
  }

  /** Stores the device of a guest, tells the guest, and returns the device's id. */
  private async accept({ guest, route, run }: Asked, scopes: readonly Scope[]): Promise<string> {
    const serial = await devices.nextSerial();
    const id = base64url(guest.id);
    const grant = await grantFrom(this.identity, { clientId: guest.id, serial }, Date.now());
    const message = await run.accept({ name: this.offer.options.name, grant, scopes });
    // Stored before the device is told, so that it can connect at once.
    await devices.addDevice(guest.publicKeys, { id, name: guest.name, scopes: [...scopes], serial: String(serial) });
    if (this.ended !== undefined) {
      // The guest has been refused meanwhile.
      await devices.forgetDevice(id);
      throw errors.RELAY_OFFER_UNKNOWN({ code: this.code });
    }
    route.send(message);
    return id;
  }

  /** Ends the code, and refuses the guest that waits for an answer. Only the first reason is kept. */
  end(reason: string): void {
    if (this.ended !== undefined) return;
    clearTimeout(this.limit);
    this.unwatch();
    this.ended = reason;
    this.offer.withdraw();
    this.asked?.route.close("refused");
    this.connection.withdraw(this.place);
    this.tell();
  }

  private ask(asked: Asked): void {
    this.asked = asked;
    this.tell();
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
