import type { EventId, EventOf, Session, StoredEvent, Stretch } from "@scorel/kernel";
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
  /** The last of the events after the summary: all of them, unless the reader asked for fewer. */
  entries: readonly Entry[];
  /** Whether `entries` are all of them. */
  whole: boolean;
}

/** A list of entries that may be too long to be held in memory. */
export interface EntryList {
  readonly size: number;
  slice(from: number, to: number): readonly Entry[];
  /** All of them, when they are in memory anyway. */
  whole?: readonly Entry[];
}

/** What a summary is made of: a summary before it, and what came since. */
export interface Material {
  earlier?: string;
  entries: EntryList;
}

/** How much of a conversation's end is wanted. */
export interface Wanted {
  tokens: number;
  tokensOf(entry: Pick<Entry, "event" | "message">): number;
}

/** Turns and replies that the wanted end holds at least, so that there are places to cut at. */
const LEAST_PARTS = 4;
const CHUNK = 256;

/**
 * The conversation at a leaf (default: the active one), from the last summary on. Of one that holds more than `wanted`,
 * only the end is read, from the beginning of a turn or a reply on.
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
  return tree.nearest(leaf, "compact") as EventOf<"compact"> | undefined;
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

/** Whether the kind of an event is known without those before it. */
function beginsPart(event: StoredEvent, message: ScorelMessage | undefined): boolean {
  if (message?.role === "assistant") return true;
  return event.type === "message" && message?.role === "user" && message.meta?.source === undefined;
}

/** The conversation from the last summary on, remembered from one request to the next. */
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

/** The events between a leaf and one that follows it soon; undefined when it does not. */
function since({ tree }: Session, before: EventId, leaf: EventId): StoredEvent[] | undefined {
  const added: StoredEvent[] = [];
  for (const event of tree.ancestors(leaf)) {
    if (event.id === before) return added.reverse();
    if (added.push(event) > CHUNK) return undefined;
  }
  return undefined;
}

/**
 * What a summary of the first `count` entries is to be made of: those, and what stood before them. An extract is not built
 * upon: nobody has read what it stands for, so that is read now.
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

/** So many are held in memory without a thought. */
const FEW = 5_000;

function listOf(stretch: Stretch): EntryList {
  if (stretch.size <= FEW) return listed(entriesOf(stretch.slice(0)));
  return { size: stretch.size, slice: (from, to) => entriesOf(stretch.slice(from, to)) };
}

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

/** What the user asked for in the turn that runs, as far as it lies outside `kept`: in order, steering included. */
export function requestsOutside(session: Session, kept: ReadonlySet<EventId>): UserMessage[] {
  const asked: UserMessage[] = [];
  for (const event of session.activeLeaf === null ? [] : session.tree.ancestors(session.activeLeaf)) {
    const message = event.type === "message" ? (event as EventOf<"message">).message : undefined;
    if (message?.role !== "user") continue;
    if (!kept.has(event.id)) asked.push(message);
    if (message.meta?.source !== "steer") break;
  }
  return asked.reverse();
}

/** The entries of events that follow those of `before`, behind them. */
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
  if (event.type === "message" || event.type === "custom_message") return (event as EventOf<"message">).message;
  if (event.type !== "harness_item") return undefined;
  const { text, visibility } = event as EventOf<"harness_item">;
  return visibility === "user" ? undefined : { role: "user", content: text, timestamp: event.ts };
}

/** A message with an image is never merged. */
function hasImage({ content }: UserMessage): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "image");
}
