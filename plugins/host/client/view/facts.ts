import type { DisplayAction, EventOf, StoredEvent } from "@scorel/kernel";
import { isEvent } from "@scorel/kernel/is-event";
import { type QueueUpdate, updatedQueue } from "@scorel/kit/session/queue-update";
import { typedContent } from "@scorel/kit/session/typed";
import { addUsage, noUsage, type Usage, usageIn } from "@scorel/kit/session/usage";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";
import type { QuestionKind, QueuedMessage } from "../../contract.ts";

/** A question that waits for an answer, as the plugin `requests` stores it. */
export interface OpenRequest {
  requestId: string;
  /** The plugin that asks. */
  plugin: string;
  kind: QuestionKind;
  title: string;
  body?: DisplayAction[];
  options?: {
    value: string;
    label: string;
    kind?: string;
    lasting?: boolean;
    needs?: string;
    message?: string | true;
  }[];
  fallback?: string;
  data?: unknown;
  /** Where the question was originally asked, if this session forwards it for another session. */
  from?: { sessionId: string; requestId: string; plugin: string };
}

/** The state of a session according to its stored events. */
export interface Facts {
  /** The session's settings: its name, title, model, thinking level and so on. */
  meta: SessionMeta;
  /** The permission mode that was last set in the session; undefined while the default applies. */
  permission?: string;
  queue: readonly QueuedMessage[];
  /** `seq` of the event that last changed the queue, for `expectedSeq`. */
  queueSeq: number;
  /** While the queue at the start of the view is unknown: the later changes to apply to it. */
  queueChanges?: QueueChange[];
  /** The open questions, in the order in which they were asked. */
  requests: readonly OpenRequest[];
  /** The usage in the events that were received, with `cost.total` as `cost`. Replaced when `sum` changes. */
  usage: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> & { cost: number };
  sum: Usage;
}
/** A waiting message as the event `queue_update` stores it. */
type StoredItem = Omit<QueuedMessage, "content"> & { message: UserMessage };
type Queue = readonly QueuedMessage[];
interface QueueChange {
  seq: number;
  apply(queue: Queue): Queue;
}
/** Other plugins' events that change facts. The host does not know their contracts. */
type OtherEvent =
  | (StoredEvent & { type: "permission_mode"; mode: string })
  | (StoredEvent & { type: "queue_update" } & QueueUpdate<StoredItem>)
  | (StoredEvent & { type: "approval_request" } & OpenRequest)
  | (StoredEvent & { type: "approval_answer"; requestId: string });
export type FactChange = "status" | "queue" | "requests";

/** The initial facts, before any event. `isPart`: the view begins in the middle of the log, so the initial queue is unknown. */
export function noFacts(meta: SessionMeta, isPart: boolean): Facts {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  return { meta, queue: [], queueSeq: 0, requests: [], usage, sum: noUsage(), ...(isPart && { queueChanges: [] }) };
}

/** Applies a stored event. Returns the kinds of facts that changed. Objects in `facts` are replaced, not modified. */
export function learn(facts: Facts, event: StoredEvent): FactChange[] {
  const use = usageIn(event);
  return [...(use ? addUsed(facts, use.usage) : []), ...learnOther(facts, event)];
}

function learnOther(facts: Facts, event: StoredEvent): FactChange[] {
  if (isEvent(event, "message")) return learnMessage(facts, event);
  if (isEvent(event, "session_info")) {
    facts.meta = { ...facts.meta, ...event.changes };
    return ["status"];
  }
  const other = event as OtherEvent;
  if (other.type === "permission_mode") {
    facts.permission = other.mode;
    return ["status"];
  }
  if (other.type === "queue_update") return learnQueue(facts, other);
  if (other.type === "approval_request") return addRequest(facts, other);
  if (other.type === "approval_answer") return endRequest(facts, other.requestId);
  return [];
}

/** Sets the queue to its state after the event `seq`, and applies remembered later changes. Does nothing if a later state is known. */
export function setQueue(facts: Facts, items: Queue, seq: number): FactChange[] {
  const later = facts.queueChanges?.filter((change) => change.seq > seq) ?? [];
  if (!facts.queueChanges && seq < facts.queueSeq) return [];
  delete facts.queueChanges;
  facts.queue = later.reduce((queue, { apply }) => apply(queue), items);
  facts.queueSeq = later.at(-1)?.seq ?? seq;
  return ["queue"];
}

function learnQueue(
  facts: Facts,
  { items, added, changed, removed, moved, seq }: StoredEvent & QueueUpdate<StoredItem>,
) {
  if (items) return setQueue(facts, items.map(asShown), seq);
  const update = { added: added?.map(asShown), changed: changed?.map(asShown), removed, moved };
  return changeQueue(facts, seq, (queue) => updatedQueue(queue, update));
}

function asShown<T extends Partial<StoredItem> & { id: string }>({ id, mode, message, clientId }: T) {
  return {
    id,
    ...(mode !== undefined && { mode }),
    ...(message !== undefined && { content: typedContent(message.content) }),
    ...(clientId !== undefined && { clientId }),
    ...(message?.meta?.messageId !== undefined && { messageId: message.meta.messageId }),
  } as T extends StoredItem ? QueuedMessage : Partial<QueuedMessage> & { id: string };
}

/** Changes the queue. While the initial queue is unknown, remembers the change instead. */
function changeQueue(facts: Facts, seq: number, apply: QueueChange["apply"]): FactChange[] {
  if (seq <= facts.queueSeq) return [];
  if (facts.queueChanges) {
    facts.queueChanges.push({ seq, apply });
    return [];
  }
  facts.queue = apply(facts.queue);
  facts.queueSeq = seq;
  return ["queue"];
}

function learnMessage(facts: Facts, { message, seq }: EventOf<"message">): FactChange[] {
  const delivered = message?.meta?.queueItemId;
  if (delivered === undefined) return [];
  return changeQueue(facts, seq, (queue) => queue.filter(({ id }) => id !== delivered));
}

function addUsed(facts: Facts, used: unknown): FactChange[] {
  facts.sum = addUsage(facts.sum, used);
  const { input, output, cacheRead, cacheWrite, cost } = facts.sum;
  facts.usage = { input, output, cacheRead, cacheWrite, cost: cost.total };
  return ["status"];
}

function addRequest(facts: Facts, event: StoredEvent & OpenRequest): FactChange[] {
  if (facts.requests.some(({ requestId }) => requestId === event.requestId)) return [];
  const {
    type: _type,
    id: _id,
    parentId: _parent,
    seq: _seq,
    sessionId: _session,
    clientId: _client,
    ts: _ts,
    ...request
  } = event;
  facts.requests = [...facts.requests, request];
  return ["requests"];
}

function endRequest(facts: Facts, ended: string): FactChange[] {
  const left = facts.requests.filter(({ requestId }) => requestId !== ended);
  if (left.length === facts.requests.length) return [];
  facts.requests = left;
  return ["requests"];
}
