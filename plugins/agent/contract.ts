import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { Usage } from "@scorel/messages/contract";
import type {
  ApproverService,
  StoreChange,
  StoreProposal,
  ToolCallApproval,
  ToolCallChange,
  ToolCallDecision,
  ToolCallOutcome,
  ToolCallProposal,
  ToolCallRevision,
} from "./contract/calls.ts";
import type {
  MentionsService,
  ModelPayload,
  ModelRequest,
  ModelRequestChange,
  PromptService,
} from "./contract/requests.ts";
import type { AgentService, QueueItem, SentMessage, TurnOrderService } from "./contract/turns.ts";

// The contract by subject: turns and their messages (`turns`), tool calls (`calls`), and requests to the model (`requests`).
export type * from "./contract/calls.ts";
export type * from "./contract/requests.ts";
export type * from "./contract/turns.ts";

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
     * Called before a tool runs, with validated arguments. A layer may return other arguments (`{ args }`), or block the call, which ends the
     * chain. Later layers may change the arguments again, so guards must use `approveToolCall`.
     */
    beforeToolCall(
      input: ToolCallProposal,
      signal?: AbortSignal,
    ): Promise<ToolCallRevision | undefined> | ToolCallRevision | undefined;
    /**
     * Called right before a tool runs, with its final, frozen arguments. Every layer is called. A refusal cannot be overruled; later layers
     * see it in `refused`. If no layer refuses, a person is asked once about the objections of all layers (`ask`).
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
     * Called before the messages of a model call are read from the log. A layer may append path events that shorten the conversation, so
     * that a long one is never read completely. `model` is `provider/id`. Return values are ignored.
     */
    beforeContext(call: { model: string }, signal?: AbortSignal): unknown;
    /**
     * Called before each model call with the conversation's messages. When a layer appends path events, all layers are
     * called again with the new conversation, at most twice.
     */
    transformContext(messages: AgentMessage[], signal?: AbortSignal): Promise<AgentMessage[]> | AgentMessage[];
    /**
     * Called when a model refuses the conversation as too long. A layer that has shortened it, by appending path events, returns true; the
     * call is then repeated once. `model` is the `provider/id` of the model.
     */
    contextOverflow(
      refused: { model: string; reason: string },
      signal?: AbortSignal,
    ): Promise<boolean | undefined> | boolean | undefined;
    /** Called after `transformContext` with the system prompt. A layer appends text that only this request needs. */
    systemPrompt(text: string, signal?: AbortSignal): Promise<string> | string;
    /**
     * Called before a message is stored: a user's message (also a queued one), a complete reply, or a tool's result. A layer may change what
     * is stored, and thereby what the model sees from then on. It does not change what was already shown, such as the deltas of a reply, or
     * the arguments that a call runs with. If a critical layer fails, nothing is stored: sending a message is refused, a reply ends its turn
     * with an error, and a result is replaced by a notice.
     *
     * Other texts are passed as the result of a tool `question`: texts of questions to people, names and titles of the session, and the file
     * with the complete text of a long output, which is processed in pieces of 4 MiB after the command has ended. A `messageId` is stored
     * unchanged, since a changed one would not be recognised when the message is sent again.
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
     * Called with the body of each request in the format of its api. A layer may return another body as `{ payload }`. Not called for
     * providers with their own stream function, which create the body themselves.
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
     * The waiting messages have changed. `items`, if present, lists all of them; otherwise the event contains only the added, changed,
     * removed and moved ones. A delivered message is removed by its own `message` event.
     */
    queue_update: {
      items?: QueueItem[];
      /** Messages added at the end of the queue. */
      added?: QueueItem[];
      /** Edited messages: their ids and new fields. Absent fields have not changed. */
      changed?: (Partial<QueueItem> & { id: string })[];
      removed?: string[];
      /** New places: each message follows the message `after`, or is the first if that is null. The others keep their order. */
      moved?: { id: string; after: string | null }[];
    };
  }
  interface Transients {
    /** A model call failed and is repeated after `delayMs`. `attempt` counts from 1; `of` is the maximum. */
    retry_start: { attempt: number; of: number; delayMs: number; reason: string };
    /** The wait has ended: the attempt starts now, unless `cancelled`. */
    retry_end: { attempt: number; cancelled: boolean };
    /** The turn waits, because as many turns of other sessions run as the host allows. `ahead` is the number of turns waiting before it. */
    turn_wait_start: { ahead: number };
    /** The wait has ended: the turn begins now, unless `cancelled`. */
    turn_wait_end: { cancelled: boolean };
    /** The usage of work beside the conversation, which counts towards the running turn. */
    usage_charged: { usage: Usage };
  }
  interface Projections {
    /** The waiting messages, in delivery order. */
    queue: QueueItem[];
    /** `seq` of the event that last changed the queue; 0 before the first. */
    queueSeq: number;
    /** The latest messages with a `messageId`, oldest first. */
    sent: readonly SentMessage[];
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** Thinking level of the model, or `off`. Stored with the session's next turn. */
    thinking?: string | undefined;
  }
}
