import { type EventId, type EventOf, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import type { ScorelMessage, UserMessage } from "@scorel/messages/contract";

/**
 * Role of an event in a compaction. `turn`: a user message that begins a turn; `joined`: text merged into the preceding
 * tool result; `aside`: anything else, which belongs to the preceding entry.
 */
export type Kind = "turn" | "joined" | "reply" | "result" | "aside";
export interface Entry {
  event: StoredEvent;
  kind: Kind;
  /** The message that the model reads for the event, if known here. */
  message?: ScorelMessage;
}
/** Part of a path whose events are read on demand. */
type Stretch = ReturnType<Session["tree"]["stretch"]>;
/** The conversation at a leaf, from the last summary on. */
export interface Conversation {
  earlier?: EventOf<"compact">;
  /** True when there is no message after the summary. */
  fresh: boolean;
  /** The entries after the summary; only the last ones if the caller asked for fewer. */
  entries: readonly Entry[];
  /** True when `entries` are all of them. */
  whole: boolean;
}

/** A list of entries that may be too long for memory. */
export interface EntryList {
  readonly size: number;
  slice(from: number, to: number): readonly Entry[];
  /** All entries, if they are in memory. */
  whole?: readonly Entry[];
}

/** What to summarize: an earlier summary and the entries after it. */
export interface Material {
  earlier?: string;
  entries: EntryList;
}

/** How much of the end of a conversation to read. */
export interface Wanted {
  tokens: number;
  tokensOf(entry: Pick<Entry, "event" | "message">): number;
}

/** Minimum number of turns and replies to read, so that there are places to cut. */
const LEAST_PARTS = 4;
const CHUNK = 256;

/**
 * Reads the conversation at a leaf (default: the active one) from the last summary on. With `wanted`, only the end of a
 * longer one is read, starting at a turn or reply.
 */
export function conversationOf(session: Session, leaf = session.activeLeaf, wanted?: Wanted): Conversation {
  if (leaf === null) return { fresh: false, entries: [], whole: true };
  const earlier = summaryAt(session, leaf);
  const { events, whole } = endOf(session.tree.stretch(earlier?.compactedThrough ?? null, leaf), wanted);
  const since = earlier ? events.slice(events.findIndex(({ id }) => id === earlier.id) + 1) : [];
  const fresh = earlier !== undefined && !since.some(({ type }) => type === "message");
  return { ...(earlier && { earlier }), fresh, entries: entriesOf(events), whole };
}

function summaryAt({ tree }: Session, leaf: EventId): EventOf<"compact"> | undefined {
  return tree.nearest(leaf, "compact");
}

function endOf(stretch: Stretch, wanted?: Wanted): { events: StoredEvent[]; whole: boolean } {
  if (!wanted) return { events: stretch.slice(0), whole: true };
  const events: StoredEvent[] = [];
  let tokens = 0;
  let parts = 0;
  for (let end = stretch.size; end > 0; end -= CHUNK)
    for (const event of stretch.slice(Math.max(0, end - CHUNK), end).reverse()) {
      const message = messageOf(event);
      events.push(event);
      if (event.type !== "compact") tokens += wanted.tokensOf({ event, ...(message && { message }) });
      if (!beginsPart(event, message)) continue;
      parts++;
      const isAll = end <= CHUNK && event === stretch.slice(0, 1)[0];
      if (tokens > wanted.tokens && parts >= LEAST_PARTS && !isAll) return { events: events.reverse(), whole: false };
    }
  return { events: events.reverse(), whole: true };
}

/** True for events whose kind does not depend on the events before them. */
function beginsPart(event: StoredEvent, message: ScorelMessage | undefined): boolean {
  if (message?.role === "assistant") return true;
  return event.type === "message" && message?.role === "user" && message.meta?.source === undefined;
}

/** Caches the entries since the last summary from one request to the next. */
export class RememberedConversation {
  private leaf: EventId | null = null;
  private entries: Entry[] = [];

  entriesOf(session: Session): readonly Entry[] {
    const { activeLeaf } = session;
    if (activeLeaf === this.leaf) return this.entries;
    const added = this.leaf === null || activeLeaf === null ? undefined : since(session, this.leaf, activeLeaf);
    if (added?.every(({ type }) => type !== "compact")) this.entries = entriesOf(added, this.entries);
    else this.entries = [...conversationOf(session).entries];
    this.leaf = activeLeaf;
    return this.entries;
  }
}

/** Returns the events between a leaf and a nearby later one; undefined otherwise. */
function since({ tree }: Session, before: EventId, leaf: EventId): StoredEvent[] | undefined {
  const added: StoredEvent[] = [];
  for (const event of tree.ancestors(leaf)) {
    if (event.id === before) return added.reverse();
    if (added.push(event) > CHUNK) return undefined;
  }
  return undefined;
}

/**
 * Returns the material for a summary of the first `count` entries. An earlier extract is not reused, since no model has
 * read what it replaced; that part is read again.
 */
export function materialOf(session: Session, { earlier, entries, whole }: Conversation, count: number): Material {
  const last = entries[count - 1]?.event.id;
  const start = earlier?.compactedThrough ?? null;
  const own = whole || last === undefined ? listed(entries.slice(0, count)) : listOf(session.tree.stretch(start, last));
  if (!earlier) return { entries: own };
  if (earlier.method !== "extract") return { earlier: earlier.summary, entries: own };
  const before = beforeSummary(session, earlier);
  return { ...before, entries: joined(before.entries, own) };
}

function beforeSummary(session: Session, { parentId, compactedThrough }: EventOf<"compact">): Material {
  const earlier = parentId === null ? undefined : summaryAt(session, parentId);
  const own = listOf(session.tree.stretch(earlier?.compactedThrough ?? null, compactedThrough));
  if (!earlier) return { entries: own };
  if (earlier.method !== "extract") return { earlier: earlier.summary, entries: own };
  const before = beforeSummary(session, earlier);
  return { ...before, entries: joined(before.entries, own) };
}

/** Maximum number of entries that are loaded into memory at once. */
const FEW = 5_000;

function listOf(stretch: Stretch): EntryList {
  if (stretch.size <= FEW) return listed(entriesOf(stretch.slice(0)));
  return { size: stretch.size, slice: (from, to) => entriesOf(stretch.slice(from, to)) };
}

/** A list of entries that are in memory. */
export function listed(entries: readonly Entry[]): EntryList {
  return { size: entries.length, slice: (from, to) => entries.slice(from, to), whole: entries };
}

function joined(a: EntryList, b: EntryList): EntryList {
  if (a.whole && b.whole) return listed([...a.whole, ...b.whole]);
  const slice = (from: number, to: number) => [
    ...a.slice(Math.min(from, a.size), Math.min(to, a.size)),
    ...b.slice(Math.max(0, from - a.size), Math.max(0, to - a.size)),
  ];
  return { size: a.size + b.size, slice };
}

/** Returns the user's requests in the running turn that are not in `kept`, in order and with steering messages. */
export function requestsOutside(session: Session, kept: ReadonlySet<EventId>): UserMessage[] {
  const asked: UserMessage[] = [];
  for (const event of session.activeLeaf === null ? [] : session.tree.ancestors(session.activeLeaf)) {
    const message = isEvent(event, "message") ? event.message : undefined;
    if (message?.role !== "user") continue;
    if (!kept.has(event.id)) asked.push(message);
    if (message.meta?.source !== "steer") break;
  }
  return asked.reverse();
}

/** Converts events to entries, appended to `before`. */
function entriesOf(events: readonly StoredEvent[], before: readonly Entry[] = []): Entry[] {
  const entries = [...before];
  const last = entries.findLast(({ message }) => message && message.role !== "internal")?.kind;
  let afterResult = last === "result" || last === "joined";
  for (const event of events) {
    if (event.type === "compact") continue;
    const message = messageOf(event);
    const kind = kindOf(event, message, afterResult);
    if (message && message.role !== "internal") afterResult = kind === "result" || kind === "joined";
    entries.push({ event, kind, ...(message && { message }) });
  }
  return entries;
}

function kindOf(event: StoredEvent, message: ScorelMessage | undefined, afterResult: boolean): Kind {
  if (message?.role === "assistant") return "reply";
  if (message?.role === "tool_result") return "result";
  if (event.type === "harness_item") return message && afterResult ? "joined" : "aside";
  if (message?.role !== "user" || event.type !== "message") return "aside";
  return message.meta?.source !== undefined && afterResult && !hasImage(message) ? "joined" : "turn";
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  if (isEvent(event, "message") || isEvent(event, "custom_message")) return event.message;
  if (!isEvent(event, "harness_item")) return undefined;
  const { text, visibility } = event;
  return visibility === "user" ? undefined : { role: "user", content: text, timestamp: event.ts };
}

/** Messages with an image are never merged into a result. */
function hasImage({ content }: UserMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "image");
}
