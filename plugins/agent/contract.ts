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

// The contract by subject: turns and their messages (`turns`), calls of tools (`calls`), and requests to the model (`requests`).
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
    /** Work beside the conversation has used this much, which counts in the running turn. */
    usage_charged: { usage: Usage };
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
