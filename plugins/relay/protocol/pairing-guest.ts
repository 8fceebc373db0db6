import { errors } from "../errors.ts";
import { areEqual, concat } from "./bytes.ts";
import type { CpaceEnd, CpaceResult } from "./cpace.ts";
import { readGrant } from "./grants.ts";
import { fingerprint } from "./identity.ts";
import * as messages from "./pairing-messages.ts";
import { beginRun, finish, type PairingOptions, Steps } from "./pairing-steps.ts";
import type { Bytes } from "./primitives.ts";

export interface GuestOptions extends PairingOptions {
  route: bigint;
  /** Id of the host from the pairing link. */
  host?: Bytes;
}

/** The result of a message at the guest. */
export type GuestStep =
  | { reply: Bytes }
  /** The code was right, and the host's user is being asked. */
  | { isConfirmed: true }
  | { host: messages.PairedPeer; admission: messages.Admission };

/** The guest's end of a run. If a method throws, the run has ended, and the caller closes the route. */
export class GuestRun {
  private readonly options: GuestOptions;
  private readonly steps = new Steps();
  private cpace: CpaceEnd | undefined;
  private result: CpaceResult | undefined;

  constructor(options: GuestOptions) {
    messages.checkName(options.name);
    this.options = options;
  }

  /** Returns message 1. */
  async begin(): Promise<Bytes> {
    this.cpace = await beginRun(this.options, this.options.route, true);
    return this.cpace.share;
  }

  /** Takes message 2, 4 or 5. */
  receive(message: Bytes): Promise<GuestStep> {
    return this.steps.next<GuestStep>([
      () => this.share(message),
      async () => this.confirmation(message),
      () => this.admission(message),
    ]);
  }

  private async share(message: Bytes): Promise<GuestStep> {
    const { primitives, identity, name } = this.options;
    const result = await finish(this.cpace as CpaceEnd, message);
    this.result = result;
    const sealed = await messages.sealIdentity(primitives, result, "guest", identity, name);
    return { reply: concat(result.ownConfirmation, sealed) };
  }

  private confirmation(message: Bytes): GuestStep {
    const result = this.result as CpaceResult;
    if (message.length !== messages.CONFIRMATION_BYTES || !messages.isConfirmed(message, result))
      throw errors.RELAY_CODE_WRONG();
    return { isConfirmed: true };
  }

  private async admission(message: Bytes): Promise<GuestStep> {
    const { primitives, identity, host: expected } = this.options;
    const { peer, more } = await messages.openIdentity(primitives, this.result as CpaceResult, "host", message);
    if (expected && !areEqual(expected, peer.id))
      throw errors.RELAY_PAIR_OTHER({ expected: fingerprint(expected), got: fingerprint(peer.id) });
    const admission = messages.admissionOf(peer.name, more);
    const grant = await readGrant(primitives, admission.grant);
    if (!grant || !areEqual(grant.hostId, peer.id) || !areEqual(grant.clientId, identity.id))
      throw errors.RELAY_PAIR_MESSAGE({ problem: "its grant is not of this host for this computer" });
    return { host: peer, admission };
  }
}
