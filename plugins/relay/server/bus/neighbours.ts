import { hex } from "../../protocol/bytes.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { Bus } from "./bus.ts";
import { aliveMessage, isYes, subjects } from "./messages.ts";

/**
 * Milliseconds that a relay may take to answer. A relay that was killed is noticed at once, since its subject has no subscribers. A request
 * that is lost with a server gets no answer, but further requests follow it.
 */
const ALIVE_MS = 5_000;

/** Another relay, for one connection of it with the bus. */
export class Neighbour {
  readonly node: Bytes;
  readonly subject: string;
  /** Messages sent to it, and received from it. */
  sent = 0;
  received = 0;
  /** Time of its last answer, by `performance.now()`. */
  heardAt = 0;

  constructor(node: Bytes) {
    this.node = node;
    this.subject = subjects.node(node);
  }

  /** Counts a message that has arrived. Returns false if an earlier one is missing. */
  takes(count: number): boolean {
    this.received++;
    return count === this.received;
  }
}

/** The other relays with which this one exchanges messages. */
export class Neighbours {
  private readonly known = new Map<string, Neighbour>();

  of(node: Bytes): Neighbour {
    const name = hex(node);
    const neighbour = this.known.get(name) ?? new Neighbour(node);
    this.known.set(name, neighbour);
    return neighbour;
  }

  clear(): void {
    this.known.clear();
  }

  /** Asks all relays whether they are running and have received all messages. Calls `lost` for each one that is not, or has not. */
  check(bus: Bus, own: Bytes, lost: (neighbour: Neighbour) => void): void {
    for (const neighbour of this.known.values())
      void isThere(bus, neighbour, aliveMessage(own, neighbour.sent)).then((is) => {
        const name = hex(neighbour.node);
        if (is || this.known.get(name) !== neighbour) return;
        this.known.delete(name);
        lost(neighbour);
      });
  }
}

async function isThere(bus: Bus, neighbour: Neighbour, question: Bytes): Promise<boolean> {
  const askedAt = performance.now();
  try {
    const reply = await bus.request(neighbour.subject, question, ALIVE_MS);
    if (reply === undefined || !isYes(reply)) return false;
    neighbour.heardAt = performance.now();
    return true;
  } catch {
    // This request got no answer, but a later one may have been answered.
    return neighbour.heardAt > askedAt;
  }
}
