import type { Anchor, Delivered, SessionChange } from "@scorel/host/contract";
import { textOf } from "@scorel/kit/session/event-text";

/** From this many characters on that a client has not confirmed to have processed, further events for it wait. */
const WINDOW = 1024 * 1024;
/** A message holds at most this many events, and is sent when its events have this many characters. */
const MAX_EVENTS = 256;
const MAX_CHARACTERS = 256 * 1024;

let latest: { anchor: Anchor; text: string } = {
  anchor: { epoch: "", persistentSeq: -1, persistentId: null, activation: "", streamSeq: -1 },
  text: "",
};

interface Batch {
  isReplay: boolean;
  events: string[];
  characters: number;
  anchor: Anchor;
}

/**
 * Collects the events for one client, and sends those of one turn of the event loop in one message. Once the client is too far behind,
 * `add` returns promises to wait for.
 */
export class Outbox {
  private readonly send: (message: string) => void;
  private readonly batches = new Map<number, Batch>();
  private readonly changes = new Map<number, SessionChange[]>();
  private sent = 0;
  private waiting = 0;
  private processed = 0;
  private isScheduled = false;
  private room: { promise: Promise<void>; open(): void } | undefined;

  constructor(send: (message: string) => void) {
    this.send = send;
  }

  /**
   * Adds an event; `anchor` is the position after it, and `isReplay` says that it happened before the subscription began. Returns a promise
   * if the next event has to wait.
   */
  add(subscription: number, delivered: Delivered, anchor: Anchor, isReplay = false): void | Promise<void> {
    const text = textOf(delivered);
    let batch = this.batches.get(subscription);
    // The client computes the positions between the events of a message from the last one.
    if (batch && !(batch.isReplay === isReplay && isSameKind(batch.anchor, anchor))) {
      this.flushEvents(subscription, batch);
      batch = undefined;
    }
    if (!batch) {
      batch = { isReplay, events: [], characters: 0, anchor };
      this.batches.set(subscription, batch);
    }
    batch.events.push(text);
    batch.characters += text.length;
    batch.anchor = anchor;
    this.waiting += text.length;
    if (batch.events.length >= MAX_EVENTS || batch.characters >= MAX_CHARACTERS) this.flushEvents(subscription, batch);
    else this.schedule();
    return this.hasRoom ? undefined : this.untilRoom();
  }

  addChange(subscription: number, change: SessionChange): void | Promise<void> {
    const changes = this.changes.get(subscription) ?? [];
    changes.push(change);
    this.changes.set(subscription, changes);
    this.schedule();
    return this.hasRoom ? undefined : this.untilRoom();
  }

  /** Called when the client confirms how many characters of events it has processed in total. */
  took(characters: number): void {
    this.processed = Math.min(Math.max(this.processed, characters), this.sent);
    if (this.hasRoom) this.letIn();
  }

  /** Sends the collected events. */
  flush(): void {
    for (const [subscription, batch] of this.batches) this.flushEvents(subscription, batch);
    for (const [subscription, changes] of this.changes)
      this.sendCounted(JSON.stringify({ type: "changes", subscription, changes }));
    this.changes.clear();
  }

  forget(subscription: number): void {
    this.waiting -= this.batches.get(subscription)?.characters ?? 0;
    this.batches.delete(subscription);
    this.changes.delete(subscription);
    if (this.hasRoom) this.letIn();
  }

  /** Stops sending, and resolves all promises of `add`. */
  end(): void {
    this.batches.clear();
    this.changes.clear();
    this.processed = Number.POSITIVE_INFINITY;
    this.letIn();
  }

  private flushEvents(subscription: number, { isReplay, events, characters, anchor }: Batch): void {
    this.batches.delete(subscription);
    this.waiting -= characters;
    this.sendCounted(
      `{"type":"events","subscription":${subscription}${isReplay ? ',"replay":true' : ""},"events":[${events.join(",")}],"anchor":${positionText(anchor)}}`,
    );
  }

  private sendCounted(message: string): void {
    this.sent += message.length;
    this.send(message);
  }

  private get hasRoom(): boolean {
    return this.sent + this.waiting - this.processed < WINDOW;
  }

  private untilRoom(): Promise<void> {
    if (!this.room) {
      let open = () => {};
      const promise = new Promise<void>((resolve) => {
        open = resolve;
      });
      this.room = { promise, open };
    }
    return this.room.promise;
  }

  private letIn(): void {
    this.room?.open();
    this.room = undefined;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.flush();
    });
  }
}

/** The JSON of a position. The latest one is cached, since the clients of a session mostly get the same position one after the other. */
function positionText(anchor: Anchor): string {
  const { epoch, persistentSeq, persistentId, activation, streamSeq } = latest.anchor;
  const isLatest =
    anchor.streamSeq === streamSeq &&
    anchor.persistentSeq === persistentSeq &&
    anchor.persistentId === persistentId &&
    anchor.activation === activation &&
    anchor.epoch === epoch;
  if (!isLatest) latest = { anchor, text: JSON.stringify(anchor) };
  return latest.text;
}

/** Whether two positions both belong to the stream of the same activation, or both to stored events only. */
function isSameKind(a: Anchor, b: Anchor): boolean {
  return a.streamSeq < 0 === b.streamSeq < 0 && a.activation === b.activation && a.epoch === b.epoch;
}
