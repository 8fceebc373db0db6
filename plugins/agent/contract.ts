import type { AgentEvent, AgentMessage, AgentState, AgentTool } from "@mariozechner/pi-agent-core";
import type { EventId } from "@scorel/kernel";
import type {
  AssistantMessage,
  ImageBlock,
  ScorelMessage,
  ToolCallBlock,
  Usage,
  UserMessage,
} from "@scorel/messages/contract";
import type { ToolOutput } from "@scorel/tools/contract";

/** A message waiting for its place in a running turn. */
export interface QueueItem {
  id: string;
  mode: "steer" | "follow_up";
  message: UserMessage;
  clientId: string;
}

/** What a waiting message becomes: whatever is absent stays as it is. */
export interface QueueChange {
  id: string;
  mode?: QueueItem["mode"];
  message?: UserMessage;
}
export interface RewriteOptions {
  clientId?: string;
  /** Refused with AGENT_QUEUE_CONFLICT unless the queue stands at this `queueSeq` when the change is written. */
  expectedSeq?: number;
  /** The id that the change bears in the log. */
  id?: EventId;
}

export interface TurnOutcome {
  reason: "completed" | "cancelled" | "error";
  /** Coded and readable; absent when completed. */
  error?: { code: string; message: string };
  /** The text of the last assistant message of the turn. */
  text: string;
  stopReason: string;
  /** Summed over the turn's rounds. */
  usage: Usage;
  durationMs: number;
  leafId: EventId | null;
}

export interface SendOptions {
  clientId?: string;
  /** Makes a repeated send harmless: the same id has the same outcome once. */
  messageId?: string;
  /** What to do when a turn is running. Default: follow_up. */
  running?: "follow_up" | "steer";
}
/** Where a sent message went. `turn` settles, never rejects, when the turn that serves it ends. */
export interface Sent {
  status: "started" | "queued" | "duplicate";
  /** The message's event, or the queue item that will become it. */
  id: string;
  turn: Promise<TurnOutcome>;
}

/** One model call beside the conversation, as for a summary or a title. */
export interface Question {
  /** The model of the table `[models.<alias>]`; without such a table, or without an alias, the model in use. */
  alias?: string;
  systemPrompt: string;
  text: string;
  /** Tokens the answer may hold, at most what its model can. */
  maxTokens?: number;
  /** Default: the agent's own, which aborts when the session closes. */
  signal?: AbortSignal;
}
export interface Answer {
  text: string;
  /** `provider/id` of the model that answered. */
  model: string;
  /** `length` when the answer ended at the limit of its tokens. */
  stopReason: string;
  /** Summed over all attempts. */
  usage: Usage;
}

/**
 * The running agent. The first half is the surface of pi's `Agent`, so that extensions written for it
 * work; the second half is what hosts and faces use.
 */
export interface AgentService {
  prompt(input: string | AgentMessage | AgentMessage[], images?: ImageBlock[]): Promise<void>;
  steer(message: AgentMessage | string): void;
  followUp(message: AgentMessage | string): void;
  abort(): void;
  waitForIdle(): Promise<void>;
  /** pi's events of this session's turns; listeners are isolated and never slow the turn. */
  subscribe(listener: (event: AgentEvent, signal?: AbortSignal) => void | Promise<void>): () => void;
  readonly state: Readonly<AgentState>;
  readonly signal: AbortSignal | undefined;

  /** Appends the message (on disk before this resolves) and starts a turn, or queues it for the running one. */
  send(content: UserMessage["content"], options?: SendOptions): Promise<Sent>;
  /** Ends the running turn; what had arrived is kept. Resolves when the turn has ended; false when none ran. */
  cancel(): Promise<boolean>;
  readonly running: boolean;
  /**
   * Replaces the waiting messages, in this order; those left out are removed. Throws AGENT_QUEUE_UNKNOWN for one that waits
   * no longer, and AGENT_QUEUE_CONFLICT; then nothing is changed.
   */
  rewriteQueue(items: readonly QueueChange[], options?: RewriteOptions): Promise<void>;
  /** Starts a turn with the messages that are due next; undefined when none waits. Throws AGENT_BUSY when a turn runs. */
  runQueue(): Promise<Sent | undefined>;
  /**
   * Tokens the next request holds, by the last good usage plus an estimate of what came after. Of a conversation that is
   * longer than one and a quarter of the model's window no more is counted.
   */
  contextTokens(): number;
  /** Estimated tokens of one message. */
  estimateTokens(message: ScorelMessage): number;
  /** Estimated tokens of what goes with every request besides the messages: the system prompt and the tools. */
  fixedTokens(): number;
  /**
   * One model call beside the conversation, without tools: watched, retried, redacted and counted in the running turn's
   * usage as a round is; nothing of it is stored. Rejects with AGENT_ and MODEL_ errors, or with the signal's reason.
   */
  ask(question: Question): Promise<Answer>;
  /**
   * Work on the conversation between turns: `work` may append to the path, nobody else may, messages sent meanwhile wait
   * for its end, and `cancel` ends it. Throws AGENT_BUSY when a turn runs.
   */
  betweenTurns<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R>;
}

/**
 * A call of a tool. For `beforeToolCall`, `args` are a copy of what the model proposed: valid, but without the schema's
 * defaults and transforms. A layer may change or replace them with other JSON data, which is validated again. For all later
 * hooks `args` and `toolCall.arguments` are the one value that was validated: frozen, and what the tool gets.
 */
export interface ToolCallInput {
  assistantMessage: AssistantMessage;
  toolCall: ToolCallBlock;
  args: unknown;
  context: { systemPrompt: string; messages: AgentMessage[]; tools?: AgentTool[] };
}
export interface ToolCallVerdict {
  /** Ends the chain: the call is answered with `reason` and never runs. */
  block?: boolean;
  reason?: string;
}
/** A call that is to be approved, with the first refusal. */
export interface ToolCallApproval extends ToolCallInput {
  refused?: ToolCallVerdict;
}
export interface ToolCallOutcome extends ToolCallInput {
  result: ToolOutput;
  isError: boolean;
}
export type ToolCallChange = Partial<Pick<ToolOutput, "content" | "details" | "isError" | "terminate">>;

declare module "@scorel/kernel" {
  interface Services {
    agent: AgentService;
  }
  interface Hooks {
    /**
     * Before a tool runs, its arguments already valid: a layer may change them or block the call. Later layers may change them
     * again, so guards stand on `approveToolCall`.
     */
    beforeToolCall(
      input: ToolCallInput,
      signal?: AbortSignal,
    ): Promise<ToolCallVerdict | undefined> | ToolCallVerdict | undefined;
    /**
     * The last word before a tool runs, on the arguments that it gets; what is shown cannot be changed. Every layer is
     * asked; one that blocks is not overruled, and the layers after it see that in `refused`.
     */
    approveToolCall(
      input: ToolCallApproval,
      signal?: AbortSignal,
    ): Promise<ToolCallVerdict | undefined> | ToolCallVerdict | undefined;
    /** After a tool has run and before its result is stored: a layer may replace parts of the result. */
    afterToolCall(
      input: ToolCallOutcome,
      signal?: AbortSignal,
    ): Promise<ToolCallChange | undefined> | ToolCallChange | undefined;
    /**
     * Before the messages of a model call are read from the log: a layer may append path events that make the conversation
     * shorter, so that a long one is never read whole. `model` is `provider/id`. A layer answers nothing.
     */
    beforeContext(call: { model: string }, signal?: AbortSignal): unknown;
    /**
     * Before each model call: the messages of the conversation. A layer may append path events here; then all layers are asked
     * again with what the conversation has become, twice at most.
     */
    transformContext(messages: AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]> | AgentMessage[];
    /**
     * A model refused the conversation as too long: a layer that has made it shorter answers true, and the call is made
     * once more. Path events may be appended here. `model` is `provider/id` of the one that refused.
     */
    contextOverflow(
      refused: { model: string; reason: string },
      signal?: AbortSignal,
    ): Promise<boolean | undefined> | boolean | undefined;
    /** After `transformContext`: the system prompt of one request, as it is frozen; a layer adds to its end what only this request needs. */
    systemPrompt(text: string, signal?: AbortSignal): Promise<string> | string;
    /** After `transformContext`: the last word on what is sent; nothing said here is stored. */
    convertToLlm(messages: AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]> | AgentMessage[];
  }
  interface Events {
    /** Both queues, whole: the waiting messages after a change. Delivery is the message event itself. */
    queue_update: { items: QueueItem[] };
  }
  interface Transients {
    /** A model call failed and is made again after `delayMs`: attempt 1 `of` at most so many, because of `reason`. */
    retry_start: { attempt: number; of: number; delayMs: number; reason: string };
    /** The wait is over: the attempt begins now, or never will. */
    retry_end: { attempt: number; cancelled: boolean };
  }
  interface Projections {
    /** The messages that wait, in the order of their delivery. */
    queue: QueueItem[];
    /** seq of the event that last changed what waits; 0 before the first. */
    queueSeq: number;
    /** Client-made message id -> the event or queue item it became. */
    sentMessages: Record<string, string>;
  }
}
