import { hex } from "../../protocol/bytes.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import type { Bus } from "./bus.ts";
import { aliveMessage, isYes, subjects } from "./messages.ts";

/** Milliseconds that a relay may take to say that it is there. One that was killed is noticed at once: nobody listens to its subject. */
const ALIVE_MS = 5_000;

/** Another relay, for as long as its connection with the bus lasts. */
export class Neighbour {
  readonly node: Bytes;
  readonly subject: string;
  /** Messages that it was sent, and that came from it. */
  sent = 0;
  received = 0;
  isAsked = false;

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
    for (const neighbour of this.#known.values()) {
      if (neighbour.isAsked) continue;
      neighbour.isAsked = true;
      void bus
        .request(neighbour.subject, aliveMessage(own, neighbour.sent), ALIVE_MS)
        .then(
          (reply) => reply !== undefined && isYes(reply),
          // The bus was lost, of which everybody hears otherwise, or it does not answer.
          () => false,
        )
        .then((isThere) => {
          neighbour.isAsked = false;
          if (isThere || this.#known.get(hex(neighbour.node)) !== neighbour) return;
          this.#known.delete(hex(neighbour.node));
          lost(neighbour);
        });
    }
  }
}
