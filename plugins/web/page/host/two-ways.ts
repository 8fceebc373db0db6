import type { Channel } from "@scorel/host/client";
import type { KnownDevice } from "../../contract.ts";

/** How long a direct connection may take, in milliseconds, when there is another way. */
export const DIRECT_MS = 3_000;

/** Makes one entry of a host that is reached directly and through a relay. `hostAt` tells which paired host a direct one has proved to be. */
export function oneEntryEach(
  known: readonly KnownDevice[],
  hostAt: (id: string) => string | undefined,
): (KnownDevice & { relayed?: KnownDevice | undefined })[] {
  const relayed = new Map(known.flatMap((each) => (each.host === undefined ? [] : [[each.host, each] as const])));
  const taken = new Set<string>();
  const entries = known.map((each) => {
    const host = each.host === undefined ? hostAt(each.id) : undefined;
    const way = host === undefined || taken.has(host) ? undefined : relayed.get(host);
    if (way?.host !== undefined) taken.add(way.host);
    return { ...each, relayed: way };
  });
  return entries.filter(({ host }) => host === undefined || !taken.has(host));
}

interface Ways {
  token: string;
  direct(): Promise<Channel>;
  /** The way through a relay, if there is one now. */
  relayed(): (() => Promise<Channel>) | undefined;
  /** Default: `DIRECT_MS`. */
  ms?: number;
}

/** Tries both ways in turn, the direct one first, and again first after each connection. */
export class TwoWays {
  private isDirect = false;
  private readonly ways: Ways;

  constructor(ways: Ways) {
    this.ways = ways;
  }

  /** Chooses the way of the next connection. Its token is only for the direct one: at the other end of a relay, the pairing counts. */
  readonly token = (): string | undefined => {
    this.isDirect = !this.isDirect || this.ways.relayed() === undefined;
    return this.isDirect ? this.ways.token : undefined;
  };

  readonly dial = async (): Promise<Channel> => {
    const relayed = this.ways.relayed();
    if (!relayed) return this.ways.direct();
    if (this.isDirect) return inTime(this.ways.direct(), this.ways.ms ?? DIRECT_MS);
    try {
      return await relayed();
    } catch (thrown) {
      // Also one that is for good: the direct way may still lead there.
      throw new Error((thrown as Error).message, { cause: thrown });
    }
  };

  /** A connection was made: the next one begins with the direct way. */
  connected(): void {
    this.isDirect = false;
  }
}

/** The channel if it is there in time; one that comes later is closed. */
async function inTime(dialing: Promise<Channel>, ms: number): Promise<Channel> {
  const clock = new AbortController();
  const limit = new Promise<undefined>((resolve) => {
    const timer = setTimeout(resolve, ms);
    clock.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  try {
    const channel = await Promise.race([dialing, limit]);
    if (channel) return channel;
    dialing.then((late) => late.close()).catch(() => {});
    throw new Error("The host does not answer at its address.");
  } finally {
    clock.abort();
  }
}
