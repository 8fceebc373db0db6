import type { DisplayAction, EventOf, StoredEvent } from "@scorel/kernel";
import type { SessionMeta, Usage, UserMessage } from "@scorel/messages/contract";
import type { QuestionKind, QueuedMessage } from "../../contract.ts";

/** A question that waits for an answer, as the plugin `requests` stores it. */
export interface OpenRequest {
  requestId: string;
  /** The plugin that asks. */
  plugin: string;
  kind: QuestionKind;
  title: string;
  body?: DisplayAction[];
  options?: { value: string; label: string; kind?: string; lasting?: boolean; message?: string | true }[];
  fallback?: string;
  data?: unknown;
  /** Where it was asked, if this session passes the question of another one on. */
  from?: { sessionId: string; requestId: string; plugin: string };
}

/** What the stored events of a session say about it. */
export interface Facts {
  /** The session's settings: its name, title, model, thinking level and so on. */
  meta: SessionMeta;
  /** The mode that was chosen in the session last; undefined while it has the default. */
  permission?: string;
  queue: readonly QueuedMessage[];
  /** `seq` of the event that last changed the queue, for `expectedSeq`. */
  queueSeq: number;
  /** The open questions, in the order in which they were asked. */
  requests: readonly OpenRequest[];
  /** Sum over the replies and summaries that were received. */
  usage: Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite"> & { cost: number };
}
/** A waiting message as the event `queue_update` stores it. */
type StoredItem = Omit<QueuedMessage, "content"> & { message: UserMessage };
export type FactChange = "status" | "queue" | "requests";

export function noFacts(meta: SessionMeta): Facts {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  return { meta, queue: [], queueSeq: 0, requests: [], usage };
}

/** Takes a stored event into account. Returns what has changed; the objects in `facts` are replaced, not changed. */
export function learn(facts: Facts, event: StoredEvent): FactChange[] {
  const { type } = event;
  if (type === "message") return learnMessage(facts, event as EventOf<"message">);
  if (type === "compact") return addUsage(facts, (event as EventOf<"compact">).usage);
  if (type === "session_info") {
    facts.meta = { ...facts.meta, ...(event as EventOf<"session_info">).changes };
    return ["status"];
  }
  if (type === "permission_mode") {
    facts.permission = (event as StoredEvent & { mode: string }).mode;
    return ["status"];
  }
  if (type === "queue_update") {
    const { items } = event as StoredEvent & { items: StoredItem[] };
    return setQueue(
      facts,
      items.map(({ id, mode, message, clientId }) => ({ id, mode, content: message.content, clientId })),
      event.seq,
    );
  }
  if (type === "approval_request") return addRequest(facts, event as StoredEvent & OpenRequest);
  if (type === "approval_answer") return endRequest(facts, (event as StoredEvent & OpenRequest).requestId);
  return [];
}

/** Replaces the queue, unless a later event is known. */
export function setQueue(facts: Facts, items: readonly QueuedMessage[], seq: number): FactChange[] {
  if (seq < facts.queueSeq) return [];
  facts.queue = items;
  facts.queueSeq = seq;
  return ["queue"];
}

function learnMessage(facts: Facts, { message, seq }: EventOf<"message">): FactChange[] {
  const delivered = message?.meta?.queueItemId;
  const changes = message?.role === "assistant" ? addUsage(facts, message.usage) : [];
  if (delivered === undefined) return changes;
  const left = facts.queue.filter(({ id }) => id !== delivered);
  return [...changes, ...setQueue(facts, left, seq)];
}

function addUsage(facts: Facts, used: Usage | undefined): FactChange[] {
  if (typeof used !== "object" || used === null) return [];
  const { usage } = facts;
  facts.usage = {
    input: usage.input + amount(used.input),
    output: usage.output + amount(used.output),
    cacheRead: usage.cacheRead + amount(used.cacheRead),
    cacheWrite: usage.cacheWrite + amount(used.cacheWrite),
    cost: usage.cost + amount(used.cost?.total),
  };
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

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
