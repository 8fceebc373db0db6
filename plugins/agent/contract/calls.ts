import type { AgentMessage, AgentTool } from "@mariozechner/pi-agent-core";
import type { AppendEntry, EventId } from "@scorel/kernel";
import type { AssistantMessage, ToolCallBlock, ToolResultMessage, UserMessage } from "@scorel/messages/contract";
import type { ToolOutput } from "@scorel/tools/contract";

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

/** What an approver answers about a call that may not run. */
export interface ToolCallRefusal extends ToolCallVerdict {
  /** A person has said no, for this reason if they gave one. The result has it as `meta.refused`, for clients. */
  byPerson?: { reason?: string };
}

/** The answer of a layer of `approveToolCall`: it refuses the call with `block`, or wants a person to approve it with `ask`. */
export interface ToolCallDecision extends ToolCallVerdict {
  /**
   * Why a person has to approve the call, such as "it deploys to production". One question names the reasons of all layers. If nobody can be
   * asked, the call is refused, with `reason` if that is set.
   */
  ask?: string;
  /** With `ask`: what a person has to see to decide, such as what has changed. At most 4,000 characters of it are shown. */
  details?: string;
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
  /**
   * Asks one question with all reasons. Returns the refusal, or undefined if the call may run. With the event of the reply that has the
   * call, the question stays open when the host stops. If a person has answered the same question about this call since, it is not asked.
   */
  ask(
    call: ToolCallInput,
    objections: readonly ToolCallObjection[],
    signal: AbortSignal,
    place?: { reply: EventId },
  ): Promise<ToolCallRefusal | undefined>;
  /** Whether the log has a question about this call that nobody has answered, so that it has not run. */
  isUnanswered?(toolCallId: string): boolean;
  /** Id of the open question about a call of this reply, if it was asked with that reply's event. */
  openQuestion?(reply: EventId): string | undefined;
  /** What ends an open question without an answer. */
  endOf?(requestId: string, reason: string): AppendEntry[];
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
