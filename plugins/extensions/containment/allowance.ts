import type { BaseContext } from "@scorel/kernel";
import { errors } from "../errors.ts";
import type { ContainedPlugin } from "./contained-plugin.ts";

type Cost = Parameters<BaseContext["spend"]>[1];

/** How much is allowed at once, and how much is added per second. */
interface Limit {
  burst: number;
  perSecond: number;
  unit: string;
}
/** The limit of `told` is below the capacity of a listener's queue, so that a flood never makes other listeners miss events. */
const LIMITS = {
  written: { burst: 20_000, perSecond: 1_000, unit: "events written" },
  told: { burst: 5_000, perSecond: 500, unit: "events told, a notice counting for 50," },
  bytes: { burst: 2 ** 26, perSecond: 2 ** 22, unit: "bytes of events" },
} satisfies Record<string, Limit>;

/** The name that floods are counted under. */
const FLOOD = "flood";

/**
 * Limits the events that an extension writes and emits, so that a loop fills neither memory nor disk. Above the limit,
 * everything is refused until half of the amount is available again; after the third time, until the session is reopened.
 */
export class Allowance {
  private readonly contained: Pick<ContainedPlugin, "id" | "isOff" | "failed" | "report">;
  private readonly now: () => number;
  private readonly written = new Bucket(LIMITS.written);
  private readonly told = new Bucket(LIMITS.told);
  private readonly bytes = new Bucket(LIMITS.bytes);

  constructor(contained: Allowance["contained"], now: () => number = () => performance.now()) {
    this.contained = contained;
    this.now = now;
  }

  /** Throws PLUGIN_FLOOD if not enough is left. `size`, in bytes, is computed only if the number of events is allowed. */
  spend(where: string, { written = 0, told = 0 }: Cost, size: () => number = () => 0): void {
    if (written > 0) this.take(where, this.written, () => written);
    if (told > 0) this.take(where, this.told, () => told);
    this.take(where, this.bytes, size);
  }

  private take(where: string, bucket: Bucket, amount: () => number): void {
    const { contained } = this;
    const taken = contained.isOff(FLOOD) ? "refused" : bucket.take(amount, this.now());
    if (taken === "granted") return;
    const error = errors.PLUGIN_FLOOD({ plugin: contained.id, where, ...bucket.limit });
    if (taken === "begins to be refused") {
      contained.report(where, error);
      contained.failed(FLOOD, where);
    }
    throw error;
  }
}

class Bucket {
  readonly limit: Limit;
  private refuses = false;
  private left: number;
  private at = Number.NEGATIVE_INFINITY;

  constructor(limit: Limit) {
    this.limit = limit;
    this.left = limit.burst;
  }

  take(amount: () => number, now: number): "granted" | "begins to be refused" | "refused" {
    const { burst, perSecond } = this.limit;
    this.left = Math.min(burst, this.left + ((now - this.at) / 1_000) * perSecond);
    this.at = now;
    if (this.refuses && this.left < burst / 2) return "refused";
    const asked = amount();
    this.refuses = asked > this.left;
    if (this.refuses) return "begins to be refused";
    this.left -= asked;
    return "granted";
  }
}
