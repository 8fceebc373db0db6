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

/** A change to a waiting message. Absent fields are not changed. */
export interface QueueChange {
  id: string;
  mode?: QueueItem["mode"];
  message?: UserMessage;
}

/** Options of `rewriteQueue`. */
export interface RewriteOptions {
  clientId?: string;
  /** The `queueSeq` that the caller knows. AGENT_QUEUE_CONFLICT is thrown if the queue has changed since. */
  expectedSeq?: number;
  /** Event id for the `queue_update` that is written. */
  id?: EventId;
  /** Called with the current messages before they are replaced. If it throws, nothing is changed. */
  guard?(waiting: readonly QueueItem[]): void;
}

/** Limits of the turn that answers a message. The turn ends rather than call the model again once one of them is reached. */
export interface TurnLimits {
  /** Number of model calls, from 1. */
  rounds?: number;
  /** US dollars, more than 0. The call that reaches it is completed, with its tools. */
  cost?: number;
}

/** How a turn ended. */
export interface TurnOutcome {
  reason: "completed" | "cancelled" | "error";
  /** Set unless `reason` is "completed". */
  error?: { code: string; message: string };
  /** The limit that ended the turn; `reason` is then "cancelled". */
  limit?: keyof TurnLimits;
  /** The text of the last assistant message of the turn. */
  text: string;
  stopReason: string;
  /** Sum over all rounds of the turn. */
  usage: Usage;
  durationMs: number;
  leafId: EventId | null;
}

/** Options of `send`. */
export interface SendOptions {
  clientId?: string;
  /**
   * Identifies the message, so that a repeated send has no effect: a message with a known id is not sent again. MESSAGE_ID_REUSED is thrown
   * if it has different content.
   */
  messageId?: string;
  /** How to queue the message while a turn is running, or `refuse`: then AGENT_BUSY is thrown. Default: "follow_up". */
  running?: "follow_up" | "steer" | "refuse";
  /** If no turn is running, "start" begins one with the message, and "queue" keeps it for the next one. Default: "start". */
  idle?: "start" | "queue";
  /**
   * Set to false for text that the user has not written: files mentioned as `@path` are then not attached, and skills named as `$name` or
   * `/skill:name` are not loaded.
   */
  mentions?: boolean;
  /** Limits of the turn that answers the message. If the message joins a running turn, they count from then on. */
  limits?: TurnLimits;
}

/** A sent message with a `messageId`, and the event or queue item that it became. */
export interface SentMessage {
  messageId: string;
  /** Id of the message's event, or of the queue item that it was before. */
  id: string;
  /** Hash of the sent content; absent if the content was changed before it was stored. */
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
  /** The purpose of the call, for hooks: "compaction", "title" or any other word. Default: "question". */
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

/** The answer to a `Question`. */
export interface Answer {
  /** The answer, without thoughts that the model's server sends before it as text in `<think>`. */
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
   * Cancels the running turn and keeps what has arrived. Resolves when the turn has ended, with false if none was running. `clientId` is the
   * client that cancels the turn; the event `runtime_end` contains it. `hostStops` means that the host cancels the turn because it stops.
   */
  cancel(options?: { clientId?: string; hostStops?: boolean }): Promise<boolean>;
  readonly running: boolean;
  /**
   * The outcome of the turn that answers a message, by the id that `send` returned. Also works for messages that were sent before the session
   * was opened. Undefined if there is no such message.
   */
  outcomeOf(id: string): Promise<TurnOutcome> | undefined;
  /**
   * Replaces the waiting messages by `items`, in this order; omitted ones are removed. Changes nothing and throws AGENT_QUEUE_UNKNOWN for a
   * message that is not waiting any more, and AGENT_QUEUE_CONFLICT for an outdated `expectedSeq`.
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
   * Applies the layers of `beforeStore` to a text, for events beside the conversation that repeat parts of it. Rejects if a critical layer
   * fails.
   */
  storable(text: string): Promise<string>;
  /** Whether `beforeStore` has layers. If not, `storable` returns every text unchanged. */
  readonly changesStored: boolean;
  /** Whether a turn that was suspended when its host stopped will resume with the answer to this question. */
  awaits?(requestId: string): boolean;
  /**
   * Resumes the suspended turn that waits for the answer to this question. Calls `write`, which stores the answer, and returns its promise;
   * if that rejects, the turn is not resumed. If no turn waits for the answer, returns undefined without calling `write`.
   */
  resume?<E>(requestId: string, write: () => Promise<E>): Promise<E> | undefined;
  /**
   * Makes one model call outside the conversation, without tools. It is guarded, retried and redacted like a round, its
   * usage counts towards the running turn, and nothing is stored. Rejects with an AGENT_ or MODEL_ error, or with the
   * signal's reason.
   */
  ask(question: Question): Promise<Answer>;
  /**
   * Adds usage of work beside the conversation, such as that of a subagent in the background, to the running turn, so that limits count it.
   * Announces it to clients as `usage_charged`, unless they are `told` already. Returns false, and does nothing, if no turn is running.
   */
  charge(usage: Usage, options?: { told?: boolean }): boolean;
  /**
   * Runs a tool for a person who has typed the call, also while a turn runs. All layers and guards are called as for calls of the model.
   * Stores nothing: returns the result, redacted and changed by `beforeStore`. Rejects with AGENT_NO_TOOL and AGENT_CALL_REFUSED.
   */
  callTyped(call: TypedCall, options: TypedCallOptions): Promise<ToolResultMessage>;
  /**
   * Runs `work` while no turn can run. Only `work` may append to the path, and `cancel` aborts it. Messages sent in the meantime wait in the
   * queue, and start a turn at its end. Throws AGENT_BUSY during a turn.
   */
  betweenTurns<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R>;
}

/** The place of a turn among the turns of all sessions of the host. */
export interface TurnPlace {
  /** Number of waiting turns before this one. */
  readonly ahead: number;
  /** Resolves when the turn may begin; undefined if it may begin at once. */
  readonly begins: Promise<void> | undefined;
  /** Releases the place, at the end of the turn or before its beginning. */
  leave(): void;
}

/** The service `turnOrder` of the host: limits how many turns run at a time. */
export interface TurnOrderService {
  /** Requests a place for a turn. */
  enter(sessionId: string): TurnPlace;
}
