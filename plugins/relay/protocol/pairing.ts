/**
 * Pairing: two computers that share a typed code prove it to each other by CPace through a relay, and exchange their identities.
 *
 *     1. guest → host  Ya
 *     2. host → guest  Yb
 *     3. guest → host  confirmation of the guest, sealed identity of the guest
 *     4. host → guest  confirmation of the host
 *     5. host → guest  sealed identity of the host with the grant, once its user has accepted
 *
 * The host's end is here, the guest's in pairing-guest.ts. The guest confirms first: who does not know the code learns nothing from a host without being counted.
 */

import { errors } from "../errors.ts";
import { areEqual } from "./bytes.ts";
import type { CpaceEnd, CpaceResult } from "./cpace.ts";
import * as messages from "./pairing-messages.ts";
import { beginRun, finish, type PairingOptions, Steps } from "./pairing-steps.ts";
import type { Bytes } from "./primitives.ts";

export type { Admission, PairedPeer } from "./pairing-messages.ts";

/** A code is no longer valid after this many runs that the host has counted. */
export const MAX_TRIES = 5;
export const CODE_SECONDS = 300;

export interface OfferOptions extends PairingOptions {
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/** A code that a host shows. It lets one guest pair. */
export class PairingOffer {
  readonly options: OfferOptions;
  private readonly ends: number;
  private tryCount = 0;
  private isRedeemed = false;
  private isWithdrawn = false;

  constructor(options: OfferOptions) {
    messages.checkName(options.name);
    this.options = options;
    this.ends = options.now() + CODE_SECONDS * 1000;
  }

  /** Why the code accepts no more guests; undefined while it does. */
  get ended(): string | undefined {
    if (this.isRedeemed) return "it was used";
    if (this.isWithdrawn) return "it was withdrawn";
    if (this.tryCount >= MAX_TRIES) return `it was tried ${MAX_TRIES} times`;
    return this.options.now() >= this.ends ? "its time is over" : undefined;
  }

  get tries(): number {
    return this.tryCount;
  }

  withdraw(): void {
    this.isWithdrawn = true;
  }

  /** Starts the host's end of a run with the guest on this route. */
  join(route: bigint): HostRun {
    return new HostRun(this, route);
  }

  /** Counts a run, whatever its result: each is one guess. Throws RELAY_CODE_ENDED if no more are allowed. */
  count(): void {
    const reason = this.ended;
    if (reason) throw errors.RELAY_CODE_ENDED({ reason });
    this.tryCount++;
  }

  /** Uses the code up for a guest that knows it. Throws if another guest was first, or the time is over. */
  redeem(): void {
    const reason = this.isRedeemed ? "it was used" : this.isWithdrawn ? "it was withdrawn" : undefined;
    const late = this.options.now() >= this.ends ? "its time is over" : undefined;
    if (reason ?? late) throw errors.RELAY_CODE_ENDED({ reason: (reason ?? late) as string });
    this.isRedeemed = true;
  }

  /** Whether the user may still answer. */
  get isInTime(): boolean {
    return this.options.now() < this.ends && !this.isWithdrawn;
  }
}

/** The result of a message: the host sends `reply`, and if `guest` is set, asks its user about that guest. */
export interface HostStep {
  reply: Bytes;
  guest?: messages.PairedPeer;
}

/** The host's end of one run. If a method throws, the run has ended, and the caller closes the route. */
export class HostRun {
  private readonly offer: PairingOffer;
  private readonly route: bigint;
  private readonly steps = new Steps();
  private end: { cpace: CpaceEnd; result: CpaceResult | undefined } | undefined;

  constructor(offer: PairingOffer, route: bigint) {
    this.offer = offer;
    this.route = route;
  }

  /** Takes message 1 or 3. */
  receive(message: Bytes): Promise<HostStep> {
    return this.steps.next([() => this.share(message), () => this.confirmation(message)]);
  }

  /** Returns message 5. To be called if the user agrees; otherwise, the caller closes the route. */
  accept(admission: messages.Admission): Promise<Bytes> {
    return this.steps.last(2, async () => {
      if (!this.offer.isInTime) throw errors.RELAY_CODE_ENDED({ reason: "its time is over" });
      const { primitives, identity } = this.offer.options;
      const more = messages.admissionBytes(admission);
      return messages.sealIdentity(primitives, this.result, "host", identity, admission.name, more);
    });
  }

  private get result(): CpaceResult {
    return this.end?.result as CpaceResult;
  }

  private async share(message: Bytes): Promise<HostStep> {
    this.offer.count();
    const cpace = await beginRun(this.offer.options, this.route, false);
    const result = await finish(cpace, message);
    this.end = { cpace, result };
    return { reply: cpace.share };
  }

  private async confirmation(message: Bytes): Promise<HostStep> {
    if (!messages.isConfirmed(message, this.result)) throw errors.RELAY_CODE_WRONG();
    const sealed = message.subarray(messages.CONFIRMATION_BYTES);
    const { primitives } = this.offer.options;
    const { peer: guest, more } = await messages.openIdentity(primitives, this.result, "guest", sealed);
    if (more.length > 0) throw errors.RELAY_PAIR_MESSAGE({ problem: "a message has the wrong length" });
    if (areEqual(guest.id, this.offer.options.identity.id))
      throw errors.RELAY_PAIR_MESSAGE({ problem: "it has the identity of this host" });
    this.offer.redeem();
    return { reply: this.result.ownConfirmation, guest };
  }
}
