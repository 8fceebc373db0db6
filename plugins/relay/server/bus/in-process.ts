import type { Bytes } from "../../protocol/primitives.ts";
import { type Bus, type BusEvents, type Take, Unavailable } from "./bus.ts";

const NOBODY: ReadonlySet<Subscriber> = new Set();

interface Subscriber {
  bus: InProcessBus;
  take: Take;
}

/** Connects relays in one process. A relay that works alone has a hub of its own. */
export class InProcessHub {
  private readonly subjects = new Map<string, Set<Subscriber>>();

  join(): Bus {
    return new InProcessBus(this);
  }

  add(subject: string, subscriber: Subscriber): () => void {
    const subscribers = this.subjects.get(subject) ?? new Set();
    this.subjects.set(subject, subscribers.add(subscriber));
    return () => {
      subscribers.delete(subscriber);
      if (subscribers.size === 0 && this.subjects.get(subject) === subscribers) this.subjects.delete(subject);
    };
  }

  /** Delivers a message asynchronously, as a network does. Returns whether there is a subscriber. */
  deliver(from: Bus, subject: string, message: Bytes, answer: (reply: Bytes) => void): boolean {
    const others = [...(this.subjects.get(subject) ?? NOBODY)].filter(({ bus }) => bus !== from);
    for (const { take } of others) queueMicrotask(() => take(message, answer));
    return others.length > 0;
  }
}

class InProcessBus implements Bus {
  readonly isFull = false;
  isConnected = false;
  private readonly hub: InProcessHub;
  private readonly ends = new Set<() => void>();

  constructor(hub: InProcessHub) {
    this.hub = hub;
  }

  start({ connected }: BusEvents): void {
    this.isConnected = true;
    connected();
  }

  publish(subject: string, message: Bytes): boolean {
    this.hub.deliver(this, subject, message, () => {});
    return true;
  }

  request(subject: string, message: Bytes, limitMs: number): Promise<Bytes | undefined> {
    return new Promise((resolve, reject) => {
      if (!this.hub.deliver(this, subject, message, resolve)) return resolve(undefined);
      setTimeout(() => reject(new Unavailable("Another relay does not answer.")), limitMs).unref();
    });
  }

  subscribe(subject: string, take: Take): () => void {
    const remove = this.hub.add(subject, { bus: this, take });
    const end = () => {
      remove();
      this.ends.delete(end);
    };
    this.ends.add(end);
    return end;
  }

  async settled(): Promise<void> {}

  async close(): Promise<void> {
    this.isConnected = false;
    for (const end of [...this.ends]) end();
  }
}
