import type { Channel } from "@scorel/host/client";
import type { KnownDevice } from "../../contract.ts";

/** Milliseconds that a direct connection may take if there is another way. */
const DIRECT_MS = 3_000;

/**
 * Merges the two entries of a host that is reached both directly and through a relay. `hostAt` returns the id of the paired host that a
 * direct one has proved to be.
 */
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
  /** Connects through a relay; undefined if that is not possible at present. */
  relayed(): (() => Promise<Channel>) | undefined;
  /** Milliseconds for a direct connection. Default: `DIRECT_MS`. */
  ms?: number;
}

/** Alternates between both ways, starting with the direct one, also after each connection. */
export class TwoWays {
  private isDirect = false;
  private readonly ways: Ways;

  constructor(ways: Ways) {
    this.ways = ways;
  }

  /** Selects the way for the next connection. Returns the token only for the direct way: through a relay, the pairing is used instead. */
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
      // Not passed on as a final error, since the direct way may still work.
      throw new Error((thrown as Error).message, { cause: thrown });
    }
  };

  /** To be called when a connection was made. The next attempt then starts with the direct way. */
  connected(): void {
    this.isDirect = false;
  }
}

/** Resolves with the channel, or rejects after `ms` milliseconds. A channel that comes later is closed. */
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
