import { errors } from "../errors.ts";
import { areEqual, uint64, utf8 } from "./bytes.ts";
import type { PairingCode } from "./code.ts";
import { beginCpace, type CpaceEnd, type CpaceResult } from "./cpace.ts";
import { type Group, ristretto255 } from "./group.ts";
import type { Identity } from "./identity.ts";
import * as messages from "./pairing-messages.ts";
import type { Bytes, Primitives } from "./primitives.ts";

export interface PairingOptions {
  primitives: Primitives;
  code: PairingCode;
  identity: Identity;
  /** Name of this computer that people see: 1 to 64 bytes. */
  name: string;
  /** Default: ristretto255. Tests may use a faster group. */
  group?: Group<unknown>;
}

/** Begins CPace at one end of a run. */
export async function beginRun(options: PairingOptions, route: bigint, isInitiator: boolean): Promise<CpaceEnd> {
  const { primitives, code, group = await ristretto255() } = options;
  const names = messages.runNames(uint64(route), code.place);
  return beginCpace({ primitives, group, password: utf8(code.secret), ...names, isInitiator });
}

/** Computes the shared keys from the share of the other end. */
export async function finish(cpace: CpaceEnd, share: Bytes): Promise<CpaceResult> {
  const isOwn = areEqual(share, cpace.share);
  const result = share.length === messages.SHARE_BYTES && !isOwn ? await cpace.finish(share) : undefined;
  if (!result) throw errors.RELAY_PAIR_MESSAGE({ problem: "its first message is not one of pairing" });
  return result;
}

/** Takes messages one at a time, each once and in order. After a failure it takes none. */
export class Steps {
  private done = 0;
  private isBusy = false;
  private hasFailed = false;

  next<T>(steps: readonly (() => Promise<T>)[]): Promise<T> {
    const step = steps[this.done];
    return this.run(step);
  }

  /** Runs the last step, which requires that `after` steps have been done. */
  last<T>(after: number, step: () => Promise<T>): Promise<T> {
    return this.run(this.done === after ? step : undefined);
  }

  private async run<T>(step: (() => Promise<T>) | undefined): Promise<T> {
    if (this.hasFailed || this.isBusy || !step) {
      this.hasFailed = true;
      throw errors.RELAY_PAIR_MESSAGE({ problem: "a message came that was not expected" });
    }
    this.isBusy = true;
    try {
      const result = await step();
      if (this.hasFailed) throw errors.RELAY_PAIR_MESSAGE({ problem: "a message came that was not expected" });
      this.done++;
      return result;
    } catch (thrown) {
      this.hasFailed = true;
      throw thrown;
    } finally {
      this.isBusy = false;
    }
  }
}
