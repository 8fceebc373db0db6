import { messageOf } from "@scorel/kit/values/coded-error";
import { freezeFields } from "@scorel/kit/values/copy";
import { frozenAsJson } from "@scorel/kit/values/freeze";
import { errors } from "../errors.ts";
import type { Projections } from "../events/projections.ts";
import type { Registry } from "../events/registry.ts";
import { parsePayload } from "../events/validate.ts";
import { Announcer } from "../hooks/announcer.ts";
import { Broadcast } from "../hooks/broadcast.ts";
import { isEvent } from "../is-event.ts";
import type { Store } from "../store.ts";
import type { Tree } from "../tree/tree.ts";
import type { AnyEvent, SessionHeader, StoredEvent } from "../types.ts";
import type { AnyEntry, Draft, Drafts } from "./drafts.ts";
import { Syncer } from "./syncer.ts";

interface WriterOptions {
  header: SessionHeader;
  store: Store;
  registry: Registry;
  tree: Tree;
  projections: Projections;
  drafts: Drafts;
  /** The client id for events that name no client. */
  clientId(): string;
  now(): number;
}

/**
 * Numbers, stores and announces events. Each write is synchronous: it resolves parents and runs checks against all earlier
 * appends, writes the records, and only then updates the tree and projections and announces the events in seq order.
 */
export class Writer {
  readonly broadcast = new Broadcast();
  readonly announcer = new Announcer(this.broadcast);
  readonly syncer: Syncer;
  /** The seq of the latest event, persistent or transient. */
  seq = 0;
  /** The epoch of the latest `epoch` event, or else of the header. */
  epoch: string;
  closed = false;
  private readonly options: WriterOptions;
  private writing = false;
  /** The steps that failed at their last attempt. Written bytes that cannot be synced are not stored yet. */
  private readonly failing = new Set<"append" | "sync">();

  constructor(options: WriterOptions) {
    this.options = options;
    this.epoch = options.header.epoch;
    this.syncer = new Syncer(options.store, (error) => this.storageStatus("sync", error));
  }

  /** Writes all entries or none. Resolves once they are written, or synced to disk if one of them is durable. */
  async append(entries: readonly AnyEntry[]): Promise<StoredEvent[]> {
    const { events, synced } = this.write(entries);
    if (synced) await synced;
    return events;
  }

  /** Numbers and announces an event that is not stored. */
  emit(type: string, payload: unknown, clientId = this.options.clientId()): AnyEvent {
    if (this.closed) throw errors.LOG_CLOSED();
    const { registry, header, store, now } = this.options;
    const { schema, quick } = registry.transient(type);
    const checked = quick?.(payload) ?? parsePayload(type, schema, payload);
    const event = freezeFields({
      type,
      seq: ++this.seq,
      sessionId: header.sessionId,
      clientId,
      ts: now(),
      ...checked,
    }) as unknown as AnyEvent;
    this.announcer.announce(event, store.stage?.(event));
    return event;
  }

  write(entries: readonly AnyEntry[]): { events: StoredEvent[]; synced: Promise<void> | undefined } {
    if (this.closed) throw errors.LOG_CLOSED();
    if (this.writing) throw errors.LOG_REENTRANT();
    this.writing = true;
    try {
      const drafts = this.options.drafts.all(entries);
      // Numbered last, because a failing converter may have emitted events in the meantime.
      let seq = this.seq;
      for (const { event } of drafts) event.seq = ++seq;
      const records = drafts.map(({ event }) => JSON.stringify(event));
      const events = drafts.map(({ event }, index) => frozenAsJson(event, records[index] as string));
      this.store(records, events);
      return { events, synced: this.publish(drafts, events) };
    } finally {
      this.writing = false;
    }
  }

  private store(records: readonly string[], events: readonly StoredEvent[]): void {
    try {
      this.options.store.append(records, events);
    } catch (thrown) {
      this.storageStatus("append", messageOf(thrown));
      throw thrown;
    }
  }

  /** Links the written events and announces them in seq order; durable ones once they are synced to disk. */
  private publish(drafts: readonly Draft[], events: readonly StoredEvent[]): Promise<void> | undefined {
    const { tree, projections } = this.options;
    this.seq += drafts.length;
    this.syncer.touch();
    const synced = drafts.some(({ durable }) => durable) ? this.syncer.synced() : undefined;
    const first = tree.size;
    for (let index = 0; index < drafts.length; index++) {
      const { leaf, durable } = drafts[index] as Draft;
      const event = events[index] as StoredEvent;
      if (isEvent(event, "epoch")) this.epoch = event.epoch;
      tree.add(event, leaf);
      this.announcer.announce(event, durable ? synced : undefined);
    }
    for (let index = 0; index < events.length; index++)
      projections.advance(events[index] as StoredEvent, first + index);
    this.storageStatus("append");
    return synced;
  }

  /** Announces each failure, and that events are stored again once no step fails any more. */
  private storageStatus(step: "append" | "sync", error?: string): void {
    if (error !== undefined) this.failing.add(step);
    else if (!this.failing.delete(step) || this.failing.size > 0) return;
    if (!this.closed) this.emit("storage_status", error === undefined ? {} : { error });
  }
}
