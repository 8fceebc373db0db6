import type { AgentEvent, AgentMessage, AgentState, AgentTool } from "@mariozechner/pi-agent-core";
import type { ThinkingLevel } from "@mariozechner/pi-ai";
import type { AppendEntry, EventId } from "@scorel/kernel";
import type {
  AssistantMessage,
  AttachedContent,
  ImageBlock,
  ScorelMessage,
  ToolCallBlock,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "@scorel/messages/contract";
import type { ToolOutput } from "@scorel/tools/contract";

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
  /** False: files that the message mentions as `@path` are not attached, as for text that somebody else has written. */
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
  /**
   * Makes one model call outside the conversation, without tools. It is guarded, retried and redacted like a round, its
   * usage counts towards the running turn, and nothing is stored. Rejects with an AGENT_ or MODEL_ error, or with the
   * signal's reason.
   */
  ask(question: Question): Promise<Answer>;
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

/** A call of a tool that a person has typed into a client, such as a line for the shell. */
export interface TypedCall {
  toolCallId: string;
  tool: string;
  args: Record<string, unknown>;
}
export interface TypedCallOptions {
  typed: NonNullable<ToolCallInput["typed"]>;
  /** Id of the client whose person has typed the call. */
  typedBy?: string | undefined;
  signal: AbortSignal;
  /** Called when no guard has refused, right before the tool runs, which waits for it. If it rejects, the tool does not run. */
  onStart?(): Promise<void> | void;
  onUpdate?(partial: Pick<ToolOutput, "content" | "details">): void;
}

/**
 * One tool call, as hooks see it. In `beforeToolCall`, `args` is a copy of the model's arguments, checked but without
 * the schema's defaults and transforms; a layer may change it or answer another one. In later hooks, `args`
 * and `toolCall.arguments` are the same frozen value, which is what the tool gets.
 */
export interface ToolCallInput {
  assistantMessage: AssistantMessage;
  toolCall: ToolCallBlock;
  args: Readonly<Record<string, unknown>>;
  context: { systemPrompt: string; messages: AgentMessage[]; tools?: AgentTool[] };
  /**
   * Set when a person has typed the call instead of a model; `assistantMessage` then has nothing but the call. `allowed`: that person could
   * answer a question about it, so none is needed. `asking`: somebody else has to answer it.
   */
  typed?: "allowed" | "asking";
  /** Id of the client whose person has typed the call. */
  typedBy?: string | undefined;
}
export interface ToolCallVerdict {
  /** True refuses the call. The model gets `reason` as the result, and the tool does not run. */
  block?: boolean;
  reason?: string;
}
/** The answer of a layer of `approveToolCall`: it refuses the call with `block`, or wants a person to approve it with `ask`. */
export interface ToolCallDecision extends ToolCallVerdict {
  /**
   * Why a person has to approve the call, such as "it deploys to production". One question names the reasons of all layers. If nobody can be
   * asked, the call is refused, with `reason` if that is set.
   */
  ask?: string;
}
/** What a layer of `beforeToolCall` may answer: other arguments for the call, which are validated again, or a refusal. */
export interface ToolCallRevision extends ToolCallVerdict {
  args?: Readonly<Record<string, unknown>>;
}
/** A call that awaits approval, with the first refusal so far. */
export interface ToolCallApproval extends ToolCallInput {
  refused?: ToolCallVerdict;
  /** The answers of layers that want a person to approve the call. */
  asks?: readonly ToolCallObjection[];
}
/** An answer of a layer that wants a person to approve the call. */
export type ToolCallObjection = ToolCallDecision & { ask: string };

/** The service `approver`: asks a person about a call that guards have objected to. Without it, such a call is refused. */
export interface ApproverService {
  /** Asks one question with all reasons. Returns the refusal, or undefined if the call may run. */
  ask(
    call: ToolCallInput,
    objections: readonly ToolCallObjection[],
    signal: AbortSignal,
  ): Promise<ToolCallVerdict | undefined>;
  /** Whether the log has a question about this call that nobody has answered, so that it has not run. */
  isUnanswered?(toolCallId: string): boolean;
}
/** A call whose arguments may still be changed. */
export interface ToolCallProposal extends ToolCallApproval {
  args: Record<string, unknown>;
}
export interface ToolCallOutcome extends ToolCallInput {
  result: ToolOutput;
  isError: boolean;
}
export type ToolCallChange = Partial<Pick<ToolOutput, "content" | "details" | "isError" | "terminate">>;

/** A message of the conversation that is about to be stored. */
export interface StoreProposal {
  message: UserMessage | AssistantMessage | ToolResultMessage;
}
/** The result of a layer of `beforeStore`: content that replaces the message's and, for a tool result, details that replace its own. */
export interface StoreChange {
  /** Text, or blocks. A reply keeps its tool calls, with the same ids and names; their arguments may be other ones. */
  content?: string | StoreProposal["message"]["content"];
  details?: unknown;
}

/** The model that a request goes to, and what it is for. */
export interface RequestFacts {
  provider: string;
  model: string;
  /** `turn` is a round of the conversation; the others are calls beside it, such as `compaction` and `title`. */
  purpose: "turn" | "compaction" | "title" | "question" | (string & {});
  /** Index of the round in its turn, from 0. */
  round?: number;
}
/** A tool as a request describes it. */
export interface DescribedTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: unknown;
}
/** One request to a model, before its payload is made. */
export interface ModelRequest extends RequestFacts {
  temperature?: number;
  /** Maximum tokens of the reply. */
  maxTokens?: number;
  thinking?: ThinkingLevel | "off";
  /** Headers that layers have added. */
  headers: Readonly<Record<string, string>>;
  tools: readonly DescribedTool[];
}
/** What a layer of `modelRequest` may answer. Headers are added to those of earlier layers; other parts are replaced. */
export type ModelRequestChange = Partial<Omit<ModelRequest, keyof RequestFacts>>;
/** The body of a request in its provider's format, before it becomes JSON. */
export interface ModelPayload extends RequestFacts {
  payload: Readonly<Record<string, unknown>>;
}

/** The system prompt of a session, as turns use it. The plugin that builds it adds what others can ask. */
export interface PromptService {
  /**
   * Returns the system prompt, byte for byte as in the latest snapshot; before the first one, what it would contain.
   */
  system(): string;
  /**
   * Returns the events to append before the user's next message: a first snapshot, a new date, or a notice about
   * changed instructions. Usually empty.
   */
  opening(): AppendEntry[];
  /** Runs `promptSubmit` and returns the events that its layers add after a prompt. Rejects only on abort. */
  submitted(prompt: string, signal?: AbortSignal): Promise<AppendEntry[]>;
}

/** The service `mentions`: attaches the files that a message mentions. */
export interface MentionsService {
  /** Returns the content with the mentioned files; undefined if it mentions none. */
  attach(content: UserMessage["content"], signal?: AbortSignal): Promise<AttachedContent | undefined>;
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

declare module "@scorel/kernel" {
  interface Services {
    prompt: PromptService;
    mentions: MentionsService;
    agent: AgentService;
    approver: ApproverService;
    turnOrder: TurnOrderService;
  }
  interface Hooks {
    /**
     * Called before a tool runs, with checked arguments. A layer may answer other arguments (`{ args }`) or block the call,
     * which ends the chain. Later layers may change the arguments again, so guards must use `approveToolCall`.
     */
    beforeToolCall(
      input: ToolCallProposal,
      signal?: AbortSignal,
    ): Promise<ToolCallRevision | undefined> | ToolCallRevision | undefined;
    /**
     * Called right before a tool runs, with its final, frozen arguments. Every layer is asked, and a refusal cannot be
     * overruled; later layers see it in `refused`. Unless one refuses, a person is asked once about everything that layers object to
     * with `ask`.
     */
    approveToolCall(
      input: ToolCallApproval,
      signal?: AbortSignal,
    ): Promise<ToolCallDecision | undefined> | ToolCallDecision | undefined;
    /** Called after a tool has run and before its result is stored. A layer may replace parts of the result. */
    afterToolCall(
      input: ToolCallOutcome,
      signal?: AbortSignal,
    ): Promise<ToolCallChange | undefined> | ToolCallChange | undefined;
    /**
     * Called before the messages of a model call are read from the log. A layer may append path events that shorten the
     * conversation, so that a long one is never read whole. `model` is `provider/id`. Return values are ignored.
     */
    beforeContext(call: { model: string }, signal?: AbortSignal): unknown;
    /**
     * Called before each model call with the conversation's messages. When a layer appends path events, all layers are
     * called again with the new conversation, at most twice.
     */
    transformContext(messages: AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]> | AgentMessage[];
    /**
     * Called when a model refuses the conversation as too long. A layer that has shortened it, by appending path
     * events, returns true; then the call is made once more. `model` is the `provider/id` that refused.
     */
    contextOverflow(
      refused: { model: string; reason: string },
      signal?: AbortSignal,
    ): Promise<boolean | undefined> | boolean | undefined;
    /** Called after `transformContext` with the system prompt. A layer appends text that only this request needs. */
    systemPrompt(text: string, signal?: AbortSignal): Promise<string> | string;
    /**
     * Called before a message is stored: of a user, also one that has to wait; a whole reply; a tool's result. Other texts come as the
     * result of a tool `question`: those of questions to people, names and titles of the session, and the file with the whole of a long
     * output, which is cleaned in pieces of 4 MiB when the command has ended. A `messageId` is stored as the client made it, since a changed
     * one would not be recognised when the message is sent again. A layer may change what is stored, and with that what the model sees from then on. What was already shown, as the deltas of a reply,
     * and what a call runs with is not changed. If a critical layer fails, nothing is stored: sending a message is refused,
     * a reply ends its turn with an error, and a result is replaced by a notice.
     */
    beforeStore(
      proposal: StoreProposal,
      signal?: AbortSignal,
    ): Promise<StoreChange | undefined> | StoreChange | undefined;
    /**
     * Called before each request to a model, those for summaries and titles too. A layer may set the temperature, the maximum
     * length, the thinking level, headers and the described tools of this one request. Headers that carry a key or frame the
     * body are refused, and so is any value with a key.
     */
    modelRequest(
      request: ModelRequest,
      signal?: AbortSignal,
    ): Promise<ModelRequestChange | undefined> | ModelRequestChange | undefined;
    /**
     * Called with the body of each request in the format of its api. A layer may answer another one as `{ payload }`. Not
     * called for providers with a stream function of their own, which make the body themselves.
     */
    modelPayload(
      request: ModelPayload,
      signal?: AbortSignal,
    ): Promise<Pick<ModelPayload, "payload"> | undefined> | Pick<ModelPayload, "payload"> | undefined;
    /** Called after `transformContext` with the messages as they will be sent. Changes are not stored. */
    convertToLlm(messages: AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]> | AgentMessage[];
  }
  interface Events {
    /**
     * The waiting messages have changed. With `items`, these are all of them; otherwise only what was added, changed, removed and
     * moved is named. A delivered message is removed by its own `message` event.
     */
    queue_update: {
      items?: QueueItem[];
      /** Messages at the end. */
      added?: QueueItem[];
      /** Waiting messages that were edited: their ids and new fields. A field that is absent has not changed. */
      changed?: (Partial<QueueItem> & { id: string })[];
      removed?: string[];
      /** Each of these follows the message `after`, or is the first. The others keep their order. */
      moved?: { id: string; after: string | null }[];
    };
  }
  interface Transients {
    /** A model call failed and is repeated after `delayMs`. `attempt` counts from 1; `of` is the maximum. */
    retry_start: { attempt: number; of: number; delayMs: number; reason: string };
    /** The wait has ended: the attempt starts now, unless `cancelled`. */
    retry_end: { attempt: number; cancelled: boolean };
    /** The turn waits, as many of other sessions run as the host allows. So many that wait begin before it. */
    turn_wait_start: { ahead: number };
    /** The wait has ended: the turn begins now, unless `cancelled`. */
    turn_wait_end: { cancelled: boolean };
  }
  interface Projections {
    /** The waiting messages, in delivery order. */
    queue: QueueItem[];
    /** `seq` of the event that last changed the queue; 0 before the first. */
    queueSeq: number;
    /** The latest messages with an id made by their client, oldest first. */
    sent: readonly SentMessage[];
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** Thinking level of the model, or `off`. Stored with the session's next turn. */
    thinking?: string | undefined;
  }
}
