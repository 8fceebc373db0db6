import { hex } from "../../protocol/bytes.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { Bus } from "./bus.ts";
import { aliveMessage, isYes, subjects } from "./messages.ts";

/**
 * Milliseconds that a relay may be silent. One that was killed is noticed at once, since nobody listens to its subject; a question that is
 * lost with a server says nothing, and is followed by others.
 */
const ALIVE_MS = 5_000;

/** Another relay, for as long as its connection with the bus lasts. */
export class Neighbour {
  readonly node: Bytes;
  readonly subject: string;
  /** Messages that it was sent, and that came from it. */
  sent = 0;
  received = 0;
  /** When it has last said that it is there. */
  heardAt = 0;

  constructor(node: Bytes) {
    this.node = node;
    this.subject = subjects.node(node);
  }

  /** Counts a message that has arrived. False if another one before it has not. */
  takes(count: number): boolean {
    this.received++;
    return count === this.received;
  }
}

/** The relays with which this one has to do. */
export class Neighbours {
  readonly #known = new Map<string, Neighbour>();

  of(node: Bytes): Neighbour {
    const name = hex(node);
    const neighbour = this.#known.get(name) ?? new Neighbour(node);
    this.#known.set(name, neighbour);
    return neighbour;
  }

  clear(): void {
    this.#known.clear();
  }

  /** Asks all whether they are there, and have got all that they were sent. Calls `lost` with those that are not, or have not. */
  check(bus: Bus, own: Bytes, lost: (neighbour: Neighbour) => void): void {
    for (const neighbour of this.#known.values())
      void isThere(bus, neighbour, aliveMessage(own, neighbour.sent)).then((is) => {
        const name = hex(neighbour.node);
        if (is || this.#known.get(name) !== neighbour) return;
        this.#known.delete(name);
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
    // No answer to this question: a later one may have been answered.
    return neighbour.heardAt > askedAt;
  }
}
