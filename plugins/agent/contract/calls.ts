import type { AgentMessage, AgentTool } from "@mariozechner/pi-agent-core";
import type { AppendEntry, EventId } from "@scorel/kernel";
import type { AssistantMessage, ToolCallBlock, ToolResultMessage, UserMessage } from "@scorel/messages/contract";
import type { ToolOutput } from "@scorel/tools/contract";

/** A tool call that a person has typed into a client, such as a shell line. */
export interface TypedCall {
  toolCallId: string;
  tool: string;
  args: Record<string, unknown>;
}

/** Options of `callTyped`. */
export interface TypedCallOptions {
  typed: NonNullable<ToolCallInput["typed"]>;
  /** Id of the client in which the call was typed. */
  typedBy?: string | undefined;
  signal: AbortSignal;
  /** Called after all guards have approved the call, and awaited before the tool runs. If it rejects, the tool does not run. */
  onStart?(): Promise<void> | void;
  onUpdate?(partial: Pick<ToolOutput, "content" | "details">): void;
}

/**
 * A tool call in the form that hooks receive. In `beforeToolCall`, `args` is a copy of the model's arguments, validated but without the
 * schema's defaults and transforms; a layer may modify it or return other arguments. In later hooks, `args` and `toolCall.arguments` are
 * the same frozen value, which the tool receives.
 */
export interface ToolCallInput {
  assistantMessage: AssistantMessage;
  toolCall: ToolCallBlock;
  args: Readonly<Record<string, unknown>>;
  context: { systemPrompt: string; messages: AgentMessage[]; tools?: AgentTool[] };
  /**
   * Set if a person has typed the call; `assistantMessage` then contains only the call. `allowed`: this person may answer questions about
   * it, so no question is needed. `asking`: another person has to answer.
   */
  typed?: "allowed" | "asking";
  /** Id of the client in which the call was typed. */
  typedBy?: string | undefined;
}

/** Whether a call is refused, and why. */
export interface ToolCallVerdict {
  /** True refuses the call. The model gets `reason` as the result, and the tool does not run. */
  block?: boolean;
  reason?: string;
}

/** An approver's refusal of a call. */
export interface ToolCallRefusal extends ToolCallVerdict {
  /** Set if a person refused the call, with their reason if they gave one. Stored in the result as `meta.refused`, for clients. */
  byPerson?: { reason?: string };
}

/** The result of a layer of `approveToolCall`: `block` refuses the call, `ask` requires a person's approval. */
export interface ToolCallDecision extends ToolCallVerdict {
  /**
   * Why a person has to approve the call, such as "it deploys to production". A single question shows the reasons of all layers. If nobody
   * can be asked, the call is refused, with `reason` if it is set.
   */
  ask?: string;
  /** With `ask`: information that a person needs for the decision, such as a diff. At most 4,000 characters are shown. */
  details?: string;
  /** With `ask`: what the user can do so that the call needs no approval, such as "--allow-write /srv/data". */
  allowedBy?: string;
}

/** The result of a layer of `beforeToolCall`: other arguments for the call, which are validated again, or a refusal. */
export interface ToolCallRevision extends ToolCallVerdict {
  args?: Readonly<Record<string, unknown>>;
}

/** A call that awaits approval, with the first refusal so far. */
export interface ToolCallApproval extends ToolCallInput {
  refused?: ToolCallVerdict;
  /** The results of layers that require a person's approval. */
  asks?: readonly ToolCallObjection[];
}

/** The result of a layer that requires a person's approval. */
export type ToolCallObjection = ToolCallDecision & { ask: string };

/** The service `approver`: asks a person about a call that guards object to. Without this service, such calls are refused. */
export interface ApproverService {
  /**
   * Asks one question with all reasons. Returns the refusal, or undefined if the call may run. If the event of the reply with the call is
   * given, the question stays open when the host stops. If a person has already answered this question about the call, it is not asked
   * again.
   */
  ask(
    call: ToolCallInput,
    objections: readonly ToolCallObjection[],
    signal: AbortSignal,
    place?: { reply: EventId },
  ): Promise<ToolCallRefusal | undefined>;
  /** Whether the log has an unanswered question about this call, so that the call has not run. */
  isUnanswered?(toolCallId: string): boolean;
  /** Id of the open question about a call of this reply, if `ask` received the reply's event. */
  openQuestion?(reply: EventId): string | undefined;
  /** Returns the entries that end an open question without an answer. */
  endOf?(requestId: string, reason: string): AppendEntry[];
}

/** A call whose arguments may still be changed. */
export interface ToolCallProposal extends ToolCallApproval {
  args: Record<string, unknown>;
}

/** A call that has run, with its result so far. The input of `afterToolCall`. */
export interface ToolCallOutcome extends ToolCallInput {
  result: ToolOutput;
  isError: boolean;
}

export type ToolCallChange = Partial<Pick<ToolOutput, "content" | "details" | "isError" | "terminate">>;

/** A message that is about to be stored. */
export interface StoreProposal {
  message: UserMessage | AssistantMessage | ToolResultMessage;
}

/** The result of a layer of `beforeStore`: new content for the message and, for a tool result, new details. */
export interface StoreChange {
  /** Text or blocks. A reply must keep its tool calls with the same ids and names; their arguments may differ. */
  content?: string | StoreProposal["message"]["content"];
  details?: unknown;
}
