import type { EventId, EventOf, Session, StoredEvent } from "@scorel/kernel";
import type { ScorelMessage, UserMessage } from "@scorel/messages/contract";

/**
 * What an event of the path is to a compaction. `turn`: a user's message that stands alone, and begins a turn. `joined`:
 * text that is merged into the tool result before it. `aside`: anything else, which belongs to what precedes it.
 */
export type Kind = "turn" | "joined" | "reply" | "result" | "aside";
export interface Entry {
  event: StoredEvent;
  kind: Kind;
  /** What a model reads of it, as far as that is known here. */
  message?: ScorelMessage;
}
/** What a model reads at a leaf: perhaps a summary, and the events after it. */
export interface Conversation {
  earlier?: EventOf<"compact">;
  /** Nothing was said since the summary. */
  fresh: boolean;
  entries: readonly Entry[];
}

/** What a summary is made of: a summary before it, and what came since. */
export interface Material {
  earlier?: string;
  entries: readonly Entry[];
}

/** The conversation at a leaf (default: the active one), from the last summary on. */
export function conversationOf(session: Session, leaf = session.activeLeaf): Conversation {
  let earlier: EventOf<"compact"> | undefined;
  let fresh = false;
  const events: StoredEvent[] = [];
  for (let event = eventAt(session, leaf); event; event = session.tree.parent(event.id)) {
    if (event.id === earlier?.compactedThrough) break;
    if (event.type !== "compact") events.push(event);
    else if (!earlier) {
      earlier = event as EventOf<"compact">;
      fresh = !events.some(({ type }) => type === "message");
    }
  }
  return { ...(earlier && { earlier }), fresh, entries: entriesOf(events.reverse()) };
}

/**
 * What a summary of the first `count` entries is to be made of: those, and what stood before them. An extract is not built
 * upon: nobody has read what it stands for, so that is read now.
 */
export function materialOf(session: Session, { earlier, entries }: Conversation, count: number): Material {
  const own = entries.slice(0, count);
  if (!earlier) return { entries: own };
  if (earlier.method !== "extract") return { earlier: earlier.summary, entries: own };
  const before = conversationOf(session, earlier.parentId);
  const through = before.entries.findIndex(({ event }) => event.id === earlier.compactedThrough);
  const unread = materialOf(session, before, through + 1);
  return { ...unread, entries: [...unread.entries, ...own] };
}

/** What the user asked for in the turn that runs, as far as it lies outside `kept`: in order, steering included. */
export function requestsOutside(session: Session, kept: ReadonlySet<EventId>): UserMessage[] {
  const asked: UserMessage[] = [];
  for (let event = eventAt(session, session.activeLeaf); event; event = session.tree.parent(event.id)) {
    const message = event.type === "message" ? (event as EventOf<"message">).message : undefined;
    if (message?.role !== "user") continue;
    if (!kept.has(event.id)) asked.push(message);
    if (message.meta?.source !== "steer") break;
  }
  return asked.reverse();
}

function eventAt({ tree }: Session, id: EventId | null): StoredEvent | undefined {
  return id === null ? undefined : tree.get(id);
}

function entriesOf(events: readonly StoredEvent[]): Entry[] {
  let afterResult = false;
  return events.map((event) => {
    const message = messageOf(event);
    const kind = kindOf(event, message, afterResult);
    if (message && message.role !== "internal") afterResult = kind === "result" || kind === "joined";
    return { event, kind, ...(message && { message }) };
  });
}

function kindOf(event: StoredEvent, message: ScorelMessage | undefined, afterResult: boolean): Kind {
  if (message?.role === "assistant") return "reply";
  if (message?.role === "tool_result") return "result";
  if (event.type === "harness_item") return message && afterResult ? "joined" : "aside";
  if (message?.role !== "user" || event.type !== "message") return "aside";
  return message.meta?.source !== undefined && afterResult && !hasImage(message) ? "joined" : "turn";
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  if (event.type === "message" || event.type === "custom_message") return (event as EventOf<"message">).message;
  if (event.type !== "harness_item") return undefined;
  const { text, visibility } = event as EventOf<"harness_item">;
  return visibility === "user" ? undefined : { role: "user", content: text, timestamp: event.ts };
}

/** A message with an image is never merged. */
function hasImage({ content }: UserMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "image");
}
