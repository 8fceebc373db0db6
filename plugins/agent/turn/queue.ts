import {
  type DisplayAction,
  type EventDefinition,
  type EventId,
  type EventOf,
  type Events,
  isEvent,
  type LogView,
  type PathHold,
  type ProjectionDefinition,
  type Session,
  type StoredEvent,
} from "@scorel/kernel";
import { updatedQueue } from "@scorel/kit/session/queue-update";
import type { MessageMeta, UserMessage } from "@scorel/messages/contract";
import { z } from "zod";
import type { QueueChange, QueueItem, RewriteOptions, SentMessage } from "../contract.ts";
import { errors } from "../errors.ts";
import { userText } from "../messages/convert.ts";
import { queueChanges } from "./queue-changes.ts";

/** Number of `messageId`s to remember, which is enough for a client's retries. */
const rememberedIds = 256;
/** Maximum number of events to search for a message that is not waiting any more. */
const searchedEvents = 1_000;

const item = z.strictObject({
  id: z.string().min(1),
  mode: z.enum(["steer", "follow_up"]),
  message: z.looseObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.enum(["text", "image"]) }))]),
    timestamp: z.number(),
  }) as unknown as z.ZodType<UserMessage>,
  clientId: z.string(),
});

const changes = z.strictObject({
  added: z.array(item).optional(),
  changed: z.array(item.partial().required({ id: true })).optional(),
  removed: z.array(z.string()).optional(),
  moved: z.array(z.strictObject({ id: z.string(), after: z.string().nullable() })).optional(),
});

/** Event `queue_update`: the changes of the queue, or the whole queue. */
export const queueUpdate: EventDefinition<Events["queue_update"]> = {
  schema: z.union([z.strictObject({ items: z.array(item) }), changes]) as z.ZodType<Events["queue_update"]>,
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: (event: EventOf<"queue_update">) => displayQueue(messagesIn(event)),
};

/** Projection `queue`: the waiting messages, computed from the updates and without delivered messages. */
export const queueProjection: ProjectionDefinition<readonly QueueItem[]> = {
  over: "log",
  reads: ["queue_update", { type: "message", containing: '"queueItemId"' }],
  init: () => [],
  update(state, event: StoredEvent) {
    if (isEvent(event, "queue_update")) return updatedQueue(state, event);
    const delivered = metaOf(event)?.queueItemId;
    return delivered === undefined ? state : state.filter(({ id }) => id !== delivered);
  },
};

/** Projection `queueSeq`: the seq of the event that last changed the queue. */
export const queueSeqProjection: ProjectionDefinition<number> = {
  over: "log",
  reads: queueProjection.reads ?? [],
  init: () => 0,
  update: (state, event: StoredEvent) =>
    event.type === "queue_update" || metaOf(event)?.queueItemId !== undefined ? event.seq : state,
};

/** Projection `sent`: the latest messages with a `messageId`, and the events or queue items that they became. */
export const sentProjection: ProjectionDefinition<readonly SentMessage[]> = {
  over: "log",
  reads: ["queue_update", { type: "message", containing: '"messageId"' }],
  init: () => [],
  update(state, event: StoredEvent) {
    if (isEvent(event, "queue_update"))
      return messagesIn(event).reduce((sent, { id, message }) => remember(sent, message.meta, id), state);
    return remember(state, metaOf(event), event.id);
  },
};

/** The message queue, stored in the log. Adding writes one event; a delivered message's own event removes it. */
export class Queue {
  private readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  get items(): readonly QueueItem[] {
    return this.session.projection("queue");
  }

  /**
   * Resolves when the item is on disk. Reading the queue and appending happen without an await in between, so no item
   * is lost.
   */
  async add(added: QueueItem): Promise<void> {
    const update = this.items.length === 0 ? { items: [added] } : { added: [added] };
    await this.session.append("queue_update", update, { clientId: added.clientId });
  }

  /**
   * Replaces the waiting messages and returns the ids that were removed. Throws AGENT_QUEUE_UNKNOWN or
   * AGENT_QUEUE_CONFLICT.
   */
  async rewrite(
    changes: readonly QueueChange[],
    { expectedSeq, guard, ...options }: RewriteOptions,
  ): Promise<string[]> {
    const before = this.items;
    guard?.(before);
    const removed = new Map(before.map((waiting) => [waiting.id, waiting]));
    const items = changes.map((change) => {
      const waiting = removed.get(change.id);
      if (!waiting) throw errors.AGENT_QUEUE_UNKNOWN({ id: change.id, ...this.delivered(change.id) });
      removed.delete(change.id);
      // The client that changes the text becomes its author.
      const author = change.message && options.clientId;
      return { ...waiting, ...change, ...(author && { clientId: author }) };
    });
    const check = (view: LogView) => mustBeAt(expectedSeq, view.projection("queueSeq"));
    await this.session.append("queue_update", queueChanges(before, items), { ...options, check });
    return [...removed.keys()];
  }

  /** Returns the messages that the next turn would start with. Only the first has no `source`: it shows in the log where the turn begins. */
  dueFirst(): { message: UserMessage; clientId: string }[] {
    const message = (item: QueueItem, index: number) => (index === 0 ? asSent(item) : asDelivered(item));
    return this.due(true).map((item, index) => ({ message: message(item, index), clientId: item.clientId }));
  }

  /** Finds the event that a delivered message became. Empty when it was removed or was delivered too long ago. */
  private delivered(id: string): { deliveredAs?: EventId } {
    const { tree, activeLeaf } = this.session;
    let event = activeLeaf === null ? undefined : tree.get(activeLeaf);
    for (let looked = 0; event && looked < searchedEvents; looked++, event = tree.parent(event.id))
      if (metaOf(event)?.queueItemId === id) return { deliveredAs: event.id };
    return {};
  }

  /** Which of these messages no longer wait. After a failed append, they are those that were written but not synced to disk. */
  gone(ids: readonly string[]): string[] {
    const waiting = new Set(this.items.map(({ id }) => id));
    return ids.filter((id) => !waiting.has(id));
  }

  /** Returns the messages that are due: all steers, or one follow-up when the agent is about to rest. */
  due(resting: boolean): QueueItem[] {
    const steers = this.items.filter(({ mode }) => mode === "steer");
    return steers.length > 0 || !resting ? steers : this.items.slice(0, 1);
  }

  /** Delivers messages by appending each to the conversation. */
  async deliver(items: readonly QueueItem[], hold: PathHold): Promise<UserMessage[]> {
    const messages = items.map(asDelivered);
    if (items.length === 0) return [];
    await hold.appendAll(
      messages.map((message, index) => ({
        type: "message",
        payload: { message },
        clientId: (items[index] as QueueItem).clientId,
      })),
    );
    return messages;
  }
}

function mustBeAt(expected: number | undefined, actual: number): void {
  if (expected !== undefined && expected !== actual) throw errors.AGENT_QUEUE_CONFLICT({ expected, actual });
}

/** The message that starts a turn. */
function asSent({ id, message }: QueueItem): UserMessage {
  return { ...message, meta: { ...message.meta, queueItemId: id } };
}

/** The message that enters a turn. */
function asDelivered(item: QueueItem): UserMessage {
  const message = asSent(item);
  return { ...message, meta: { ...message.meta, source: item.mode === "steer" ? "steer" : "followUp" } };
}

function metaOf(event: StoredEvent): MessageMeta | undefined {
  return isEvent(event, "message") ? event.message.meta : undefined;
}

/** Adds a message. The state is a list, because copying an object with that many keys for each message of a long log would take minutes. */
function remember(sent: readonly SentMessage[], meta: MessageMeta | undefined, id: string): readonly SentMessage[] {
  const { messageId, sentHash: hash } = meta ?? {};
  if (messageId === undefined || sent.some((known) => known.messageId === messageId)) return sent;
  return [...sent.slice(1 - rememberedIds), { messageId, id, ...(hash !== undefined && { hash }) }];
}

/** The messages that an update contains: added and changed ones, or all. */
function messagesIn({ items, added = [], changed = [] }: EventOf<"queue_update">): Pick<QueueItem, "id" | "message">[] {
  return items ?? [...changed.flatMap(({ id, message }) => (message ? { id, message } : [])), ...added];
}

function displayQueue(items: readonly Pick<QueueItem, "message">[]): DisplayAction {
  if (items.length === 0) return { display: "hidden" };
  const texts = items.map(({ message }) => userText(message.content));
  return {
    display: "list",
    title: "Waiting",
    items: texts.map((text) => ({ text, state: "open" })),
    text: `Waiting: ${texts.join("; ")}`,
  };
}
