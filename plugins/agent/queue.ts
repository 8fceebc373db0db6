import type {
  DisplayAction,
  EventDefinition,
  EventId,
  EventOf,
  Events,
  LogView,
  PathHold,
  ProjectionDefinition,
  Session,
  StoredEvent,
} from "@scorel/kernel";
import type { MessageMeta, UserMessage } from "@scorel/messages/contract";
import { z } from "zod";
import type { QueueChange, QueueItem, RewriteOptions } from "./contract.ts";
import { userText } from "./convert.ts";
import { errors } from "./errors.ts";

/** A retry comes soon: so many client-made ids are remembered. */
const rememberedIds = 256;
/** So far back a message that no longer waits is looked for. */
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

/** The waiting messages after a change, whole: no later line is needed to read it. */
export const queueUpdate: EventDefinition<Events["queue_update"]> = {
  schema: z.strictObject({ items: z.array(item) }),
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: (event: EventOf<"queue_update">) => displayQueue(event.items),
};

/** What waits: the last `queue_update` without what was delivered since. */
export const queueProjection: ProjectionDefinition<readonly QueueItem[]> = {
  over: "log",
  reads: ["queue_update", { type: "message", containing: '"queueItemId"' }],
  init: () => [],
  update(state, event: StoredEvent) {
    if (event.type === "queue_update") return (event as EventOf<"queue_update">).items;
    const delivered = metaOf(event)?.queueItemId;
    return delivered === undefined ? state : state.filter(({ id }) => id !== delivered);
  },
};

/** Which state of the queue this is: the seq of the event that made it. */
export const queueSeqProjection: ProjectionDefinition<number> = {
  over: "log",
  reads: queueProjection.reads ?? [],
  init: () => 0,
  update: (state, event: StoredEvent) =>
    event.type === "queue_update" || metaOf(event)?.queueItemId !== undefined ? event.seq : state,
};

/** Client-made message id -> what it first became, for the latest of them. */
export const sentProjection: ProjectionDefinition<Record<string, string>> = {
  over: "log",
  reads: ["queue_update", { type: "message", containing: '"messageId"' }],
  init: () => ({}),
  update(state, event: StoredEvent) {
    if (event.type === "queue_update")
      return (event as EventOf<"queue_update">).items.reduce(
        (sent, { id, message }) => remember(sent, message.meta, id),
        state,
      );
    return remember(state, metaOf(event), event.id);
  },
};

/** Both queues, kept in the log: adding is one event, and delivering is the message's own event. */
export class Queue {
  private readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  get items(): readonly QueueItem[] {
    return this.session.projection("queue");
  }

  /** Resolves when the item survives a power loss. Reading and writing are one step: appends are written at once. */
  async add(added: QueueItem): Promise<void> {
    await this.session.append("queue_update", { items: [...this.items, added] }, { clientId: added.clientId });
  }

  /** Replaces the waiting messages and answers the ids that went; refuses items that do not wait when this is written. */
  async rewrite(changes: readonly QueueChange[], { expectedSeq, ...options }: RewriteOptions): Promise<string[]> {
    const removed = new Map(this.items.map((waiting) => [waiting.id, waiting]));
    const items = changes.map((change) => {
      const waiting = removed.get(change.id);
      if (!waiting) throw errors.AGENT_QUEUE_UNKNOWN({ id: change.id, ...this.delivered(change.id) });
      removed.delete(change.id);
      return { ...waiting, ...change };
    });
    const check = (view: LogView) => mustBeAt(expectedSeq, view.projection("queueSeq"));
    await this.session.append("queue_update", { items }, { ...options, check });
    return [...removed.keys()];
  }

  /** What the next turn would begin with, as its first messages. */
  dueFirst(): { message: UserMessage; clientId: string }[] {
    return this.due(true).map((waiting) => ({ message: asDelivered(waiting), clientId: waiting.clientId }));
  }

  /** The event that a message became which waits no longer; nothing when that is long ago, or it was removed. */
  private delivered(id: string): { deliveredAs?: EventId } {
    const { tree, activeLeaf } = this.session;
    let event = activeLeaf === null ? undefined : tree.get(activeLeaf);
    for (let looked = 0; event && looked < searchedEvents; looked++, event = tree.parent(event.id))
      if (metaOf(event)?.queueItemId === id) return { deliveredAs: event.id };
    return {};
  }

  /** What is due at this moment: every steer between rounds; one follow-up when the agent would rest. */
  due(resting: boolean): QueueItem[] {
    const steers = this.items.filter(({ mode }) => mode === "steer");
    return steers.length > 0 || !resting ? steers : this.items.slice(0, 1);
  }

  /** Writes waiting messages into the conversation: one event each, which is their delivery. */
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

function asDelivered({ id, mode, message }: QueueItem): UserMessage {
  return {
    ...message,
    meta: { ...message.meta, source: mode === "steer" ? "steer" : "followUp", queueItemId: id },
  };
}

function metaOf(event: StoredEvent): MessageMeta | undefined {
  return event.type === "message" ? (event as EventOf<"message">).message.meta : undefined;
}

function remember(sent: Record<string, string>, meta: MessageMeta | undefined, id: string): Record<string, string> {
  const messageId = meta?.messageId;
  if (messageId === undefined || Object.hasOwn(sent, messageId)) return sent;
  const entries = Object.entries(sent).slice(1 - rememberedIds);
  return Object.fromEntries([...entries, [messageId, id]]);
}

function displayQueue(items: readonly QueueItem[]): DisplayAction {
  if (items.length === 0) return { display: "hidden" };
  const texts = items.map(({ message }) => userText(message.content));
  return {
    display: "list",
    title: "Waiting",
    items: texts.map((text) => ({ text, state: "open" })),
    text: `Waiting: ${texts.join("; ")}`,
  };
}
