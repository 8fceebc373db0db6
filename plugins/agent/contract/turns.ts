import type { AgentEvent, AgentMessage, AgentState } from "@mariozechner/pi-agent-core";
import type { EventId } from "@scorel/kernel";
import type { ImageBlock, ScorelMessage, ToolResultMessage, Usage, UserMessage } from "@scorel/messages/contract";
import type { TypedCall, TypedCallOptions } from "./calls.ts";

/** A message that waits for a running turn. */
export interface QueueItem {
  id: string;
  mode: "steer" | "follow_up";
  message: UserMessage;
  clientId: string;
}

/** A change to a waiting message. Absent fields stay as they are. */
export interface QueueChange {
  id: string;
  mode?: QueueItem["mode"];
  message?: UserMessage;
}

export interface RewriteOptions {
  clientId?: string;
  /** The `queueSeq` that the caller has seen. Throws AGENT_QUEUE_CONFLICT when the queue has changed since. */
  expectedSeq?: number;
  /** Event id for the `queue_update` that is written. */
  id?: EventId;
  /** Gets the messages that would be replaced. Nothing is changed if it throws. */
  guard?(waiting: readonly QueueItem[]): void;
}

export interface TurnOutcome {
  reason: "completed" | "cancelled" | "error";
  /** Set unless `reason` is "completed". */
  error?: { code: string; message: string };
  /** The text of the last assistant message of the turn. */
  text: string;
  stopReason: string;
  /** Sum over all rounds of the turn. */
  usage: Usage;
  durationMs: number;
  leafId: EventId | null;
}

export interface SendOptions {
  clientId?: string;
  /**
   * Makes a repeated send harmless: a second message with the same id is not sent again. Throws MESSAGE_ID_REUSED if it has other
   * content.
   */
  messageId?: string;
  /** How to queue the message while a turn is running, or `refuse`: then AGENT_BUSY is thrown. Default: "follow_up". */
  running?: "follow_up" | "steer" | "refuse";
  /** If no turn is running, "start" begins one with the message, and "queue" keeps it for the next one. Default: "start". */
  idle?: "start" | "queue";
  /**
   * False, as for a text that somebody else has written: files that it mentions as `@path` are not attached, and skills that it names as
   * `$name` or `/skill:name` are not loaded.
   */
  mentions?: boolean;
}

/** What a message with an id made by its client has become. */
export interface SentMessage {
  messageId: string;
  /** Id of its event, or of the queue item that it was first. */
  id: string;
  /** Hash of the content that was sent; absent if the content was changed before it was stored. */
  hash?: string;
}

/** Result of a send. `turn` resolves when the turn that answers the message ends; it never rejects. */
export interface Sent {
  status: "started" | "queued" | "duplicate";
  /** Id of the message's event, or of the queue item that will become it. */
  id: string;
  turn: Promise<TurnOutcome>;
}

/** One model call outside the conversation, for example for a summary or a title. */
export interface Question {
  /** What the call is for, as hooks see it: "compaction", "title" or a word of your own. Default: "question". */
  purpose?: string;
  /** Name of a table `[models.<alias>]`. Without an alias, or without such a table, the session's model answers. */
  alias?: string;
  systemPrompt: string;
  text: string;
  /** Maximum tokens of the answer, capped by the model's own limit. */
  maxTokens?: number;
  /** Defaults to the agent's signal, which aborts when the session closes. */
  signal?: AbortSignal;
}

export interface Answer {
  text: string;
  /** `provider/id` of the model that answered. */
  model: string;
  /** `length` when the answer was cut at its token limit. */
  stopReason: string;
  /** Sum over all attempts. */
  usage: Usage;
}

/**
 * The service `agent`. The members up to `signal` match pi's `Agent`, so that pi extensions work; the others are for
 * hosts and clients.
 */
export interface AgentService {
  prompt(input: string | AgentMessage | AgentMessage[], images?: ImageBlock[]): Promise<void>;
  steer(message: AgentMessage | string): void;
  followUp(message: AgentMessage | string): void;
  abort(): void;
  waitForIdle(): Promise<void>;
  /** Subscribes to pi's events of this session. A slow or failing listener does not affect the turn. */
  subscribe(listener: (event: AgentEvent, signal?: AbortSignal) => void | Promise<void>): () => void;
  readonly state: Readonly<AgentState>;
  readonly signal: AbortSignal | undefined;

  /**
   * Appends a message and starts a turn, or queues it while one is running. The message is on disk when this resolves.
   */
  send(content: UserMessage["content"], options?: SendOptions): Promise<Sent>;
  /**
   * Cancels the running turn and keeps what has arrived. Resolves when the turn has ended; false when none was running.
   * `clientId` is the client that cancels it, which the event `runtime_end` names. With `hostStops`, no client does: the host ends.
   */
  cancel(options?: { clientId?: string; hostStops?: boolean }): Promise<boolean>;
  readonly running: boolean;
  /**
   * The outcome of the turn that answers a message, by the id that `send` returned, also one that was sent before the session was
   * opened. Undefined when there is no such message.
   */
  outcomeOf(id: string): Promise<TurnOutcome> | undefined;
  /**
   * Replaces the waiting messages, in this order; omitted ones are removed. Throws AGENT_QUEUE_UNKNOWN for a message
   * that no longer waits and AGENT_QUEUE_CONFLICT for an outdated `expectedSeq`; neither changes the queue.
   */
  rewriteQueue(items: readonly QueueChange[], options?: RewriteOptions): Promise<void>;
  /**
   * Starts a turn with the queued messages that are due. Returns undefined when none waits; throws AGENT_BUSY during a
   * turn.
   */
  runQueue(): Promise<Sent | undefined>;
  /**
   * Estimated tokens of the next request: the last reported usage plus an estimate of later messages. Counting stops at
   * 1.25 times the model's context window, so the result is only a lower bound beyond that.
   */
  contextTokens(): number;
  /** Estimated tokens of one message. */
  estimateTokens(message: ScorelMessage): number;
  /** Estimated tokens of the system prompt and the tools, which are part of every request. */
  fixedTokens(): number;
  /**
   * Returns a text as the layers of `beforeStore` want it stored, for events beside the conversation that repeat some of it. Rejects
   * when a critical layer fails.
   */
  storable(text: string): Promise<string>;
  /** Whether `beforeStore` has layers. If not, `storable` returns every text as it is. */
  readonly changesStored: boolean;
  /** Whether a turn that ended with its host goes on with the answer to this question. */
  awaits?(requestId: string): boolean;
  /**
   * Goes on with the turn that waits for the answer to this question. Returns what `write` does, which writes the answer; if that rejects,
   * nothing goes on. Undefined, without having called it, if no turn waits for the answer.
   */
  resume?<E>(requestId: string, write: () => Promise<E>): Promise<E> | undefined;
  /**
   * Makes one model call outside the conversation, without tools. It is guarded, retried and redacted like a round, its
   * usage counts towards the running turn, and nothing is stored. Rejects with an AGENT_ or MODEL_ error, or with the
   * signal's reason.
   */
  ask(question: Question): Promise<Answer>;
  /**
   * Adds usage of work beside the conversation, such as a subagent in the background, to the running turn, and tells clients by the
   * event `usage_charged`, so that limits count it, unless they are `told` already. Returns false, and does nothing, when no turn is running.
   */
  charge(usage: Usage, options?: { told?: boolean }): boolean;
  /**
   * Runs a tool for a person who has typed the call, also while a turn runs. All layers and guards see it as they see calls of the model.
   * Nothing is stored: the result is redacted and as `beforeStore` wants it. Rejects with AGENT_NO_TOOL and AGENT_CALL_REFUSED.
   */
  callTyped(call: TypedCall, options: TypedCallOptions): Promise<ToolResultMessage>;
  /**
   * Runs `work` while no turn is running. Only `work` may append to the path, messages sent meanwhile wait, and
   * `cancel` aborts it. Throws AGENT_BUSY during a turn.
   */
  betweenTurns<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R>;
}

/** The place of a turn among those of all sessions of the host. */
export interface TurnPlace {
  /** How many turns that wait begin before this one. */
  readonly ahead: number;
  /** Resolves when the turn may begin; undefined if it may at once. */
  readonly begins: Promise<void> | undefined;
  /** Gives the place up, at the end of the turn or before its beginning. */
  leave(): void;
}

/** The service `turnOrder` of the host: which turns may run, so that not too many do at a time. */
export interface TurnOrderService {
  /** Asks for the place of a turn. */
  enter(sessionId: string): TurnPlace;
}
