import { concat, putCount, uint64 } from "./bytes.ts";
import type { Bytes } from "./primitives.ts";

const COUNT_BYTES = 8;
/** Number of each direction, by the end that a message goes to. */
const directions = { host: 1, client: 2 } as const;

/** The associated data that a channel authenticates with each message: the route, the direction, and the number of earlier messages. */
export class AssociatedData {
  private readonly to: Record<keyof typeof directions, Bytes>;

  constructor(route: bigint) {
    const toward = (end: keyof typeof directions) =>
      concat(uint64(route), Uint8Array.of(directions[end]), new Uint8Array(COUNT_BYTES));
    this.to = { host: toward("host"), client: toward("client") };
  }

  /** Returns the associated data of message number `count` to this end. The next call overwrites the bytes. */
  of(to: keyof typeof directions, count: number): Bytes {
    const bytes = this.to[to];
    putCount(bytes, bytes.length - COUNT_BYTES, count);
    return bytes;
  }
}
