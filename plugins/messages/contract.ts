import type { EventId } from "@scorel/kernel";

export interface TextBlock {
  type: "text";
  text: string;
}
export interface ImageBlock {
  type: "image";
  /** base64 */
  data: string;
  mimeType: string;
}
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  [providerField: string]: unknown;
}
export interface ToolCallBlock {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  [providerField: string]: unknown;
}

/** Side information on a message that a model never reads. */
export interface MessageMeta {
  /** How it came into a running turn; such a message is merged into the tool result before it. */
  source?: "steer" | "followUp";
  /** The queue item that this message delivers. */
  queueItemId?: string;
  /** Made by the client that sent it; a second send with the same id has the same outcome. */
  messageId?: string;
  [key: string]: unknown;
}
export interface Usage {
  /** Tokens, without those read from or written to the provider's cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  /** US dollars. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  role: "user";
  content: string | (TextBlock | ImageBlock)[];
  timestamp: number;
  meta?: MessageMeta;
}
export interface AssistantMessage {
  role: "assistant";
  content: (TextBlock | ThinkingBlock | ToolCallBlock)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  /** It ended early; what had arrived is kept, without tool calls. */
  partial?: true;
  timestamp: number;
  meta?: MessageMeta;
  [providerField: string]: unknown;
}
export interface ToolResultMessage {
  role: "tool_result";
  toolCallId: string;
  toolName: string;
  content: (TextBlock | ImageBlock)[];
  /** For faces and projections; a model never reads it. */
  details?: unknown;
  isError: boolean;
  timestamp: number;
  meta?: MessageMeta;
}
/** Kept in the log and shown, never sent to a model. */
export interface InternalMessage {
  role: "internal";
  content: string;
  timestamp: number;
  meta?: MessageMeta;
}
export type ScorelMessage = UserMessage | AssistantMessage | ToolResultMessage | InternalMessage;

export interface SessionMeta {
  name?: string;
  /** `provider/id` */
  model?: string;
  thinkingLevel?: string;
  cwd?: string;
  [key: string]: unknown;
}

declare module "@scorel/kernel" {
  interface Types {
    message: ScorelMessage;
  }
  interface Events {
    message: { message: ScorelMessage };
    rewind: { targetEventId: EventId };
    branch: { leafEventId: EventId };
    compact: { summary: string; compactedThrough: EventId; tokensBefore: number; tokensAfter: number };
    channel_inject: { channel: string; externalId: string; metadata?: Record<string, unknown> };
    session_info: { changes: Partial<SessionMeta> };
    custom: { kind: string; data: unknown };
    custom_message: { kind: string; message: ScorelMessage; data?: unknown };
  }
  interface Transients {
    message_start: { eventId: EventId; parentId: EventId | null; role: "assistant" | "tool_result"; model?: string };
    text_delta: { eventId: EventId; delta: string };
    thinking_delta: { eventId: EventId; delta: string; blockIndex: number };
    tool_call_delta: { eventId: EventId; toolCallId: string; toolName?: string; delta: string };
    tool_execution_start: { eventId: EventId; parentId: EventId; toolCallId: string; toolName: string; args: unknown };
    tool_execution_update: { eventId: EventId; toolCallId: string; partial: unknown };
    tool_execution_end: {
      eventId: EventId;
      toolCallId: string;
      toolName: string;
      durationMs: number;
      isError: boolean;
    };
    turn_start: { turnIndex: number };
    turn_end: { turnIndex: number; usage?: Usage; stopReason?: string };
    runtime_start: Record<string, never>;
    runtime_end: { error?: string; reason: "completed" | "cancelled" | "error" };
    message_cancelled: { eventId: EventId; reason: "user_cancel" | "error" | "max_tokens" };
    session_start: Record<string, never>;
    session_end: { reason: string };
    prompt_submit: { prompt: string };
    turn_finish: { usage: Usage; duration: number };
    turn_error: { error: { code: string; message: string } };
  }
  interface Projections {
    /** The session's current name, model and so on: all `session_info` changes folded. */
    sessionMeta: SessionMeta;
  }
}
