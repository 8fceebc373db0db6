import type { DisplayAction, EventId } from "@scorel/kernel";

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

/** How the arguments that a tool got differ from those that the model wrote: by default values, transforms and hooks. */
export interface ArgumentChange {
  /** Arguments with another value, or that the model did not write. */
  set?: Record<string, unknown>;
  /** Arguments that the tool did not get. */
  unset?: string[];
}

/** Side information on a message that a model never reads. */
export interface MessageMeta {
  /** How it came into a running turn; such a message is merged into the tool result before it. */
  source?: "steer" | "followUp";
  /** The queue item that this message delivers. */
  queueItemId?: string;
  /** Made by the client that sent it; a second send with the same id has the same outcome. */
  messageId?: string;
  /** A reply that failed and was asked for again: kept and shown, but no part of the conversation. */
  retried?: true;
  /** On a tool's result, where the tool got other arguments than the call in the reply has. */
  arguments?: ArgumentChange;
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

/** What the harness, not the person, has to say: kind by kind. */
export type HarnessKind =
  | "attachment"
  | "skill_listing"
  | "skill_delta"
  | "memory"
  | "date_change"
  | "steer"
  | "runtime_notice";

/** Side information in the conversation: a model reads it as a `<system-reminder>`, a person never as a message. */
export interface HarnessItem {
  kind: HarnessKind;
  /** Whose words these are, or what caused them. */
  origin: "user" | "system" | "tool" | "skill";
  /** Who gets to read it: the model, the people who watch, or both. */
  visibility: "model" | "user" | "both";
  text: string;
  /** For the plugin that wrote it; nobody else reads it. */
  data?: unknown;
}

export interface SessionMeta {
  name?: string;
  /** Made by a model; a name counts for more. */
  title?: string;
  /** `provider/id` of the model that the latest turn used, or the next one will. */
  model?: string;
  /** `provider/id` of the model that was chosen in the session, which it keeps when it is opened again. */
  chosenModel?: string;
  thinkingLevel?: string;
  cwd?: string;
  [key: string]: unknown;
}

/** What plugins keep under a kind of their own. */
export type CustomEvent =
  | { type: "custom"; kind: string; data: unknown }
  | { type: "custom_message"; kind: string; message: ScorelMessage; data?: unknown };
/** How events of one kind look. */
export type CustomDisplay = (event: CustomEvent) => DisplayAction;

declare module "@scorel/kernel" {
  interface Services {
    /** How a plugin draws this event, when one draws its kind. */
    customDisplay: (event: CustomEvent) => DisplayAction | undefined;
  }
  interface Contributions {
    /** By kind, how `custom` and `custom_message` events look. Of two plugins with one kind the later one's counts. */
    displays: Record<string, CustomDisplay>;
  }
  interface Types {
    message: ScorelMessage;
  }
  interface Events {
    /** A message of the conversation: what the user, the model or a tool said. */
    message: { message: ScorelMessage };
    /** The conversation goes on from an earlier event, or from its start (null); what came after it stays in the log. */
    rewind: { targetEventId: EventId | null };
    /** The conversation goes on at another leaf of the tree. */
    branch: { leafEventId: EventId };
    /** A summary that stands for everything up to `compactedThrough`; what follows that event is kept as it is. */
    compact: {
      summary: string;
      compactedThrough: EventId;
      tokensBefore: number;
      tokensAfter: number;
      /** Who wrote the summary: a model, or nobody, when it is an extract. */
      method?: "model" | "extract";
      /** `provider/id` of the model that wrote it, and what that took. */
      model?: string;
      usage?: Usage;
      /** Why no model wrote it. */
      note?: string;
      /** Made by the client that asked for it. */
      messageId?: string;
    };
    /** The next message came in through a channel, such as a chat service, where it has the id `externalId`. */
    channel_inject: { channel: string; externalId: string; metadata?: Record<string, unknown> };
    /** Name, model and the like of the session changed; folded in the projection `sessionMeta`. */
    session_info: { changes: Partial<SessionMeta> };
    /** Data that a plugin keeps in the log under a kind of its own; no model reads it, and nobody sees it when it holds `hidden: true`. */
    custom: { kind: string; data: unknown };
    /** A message that a plugin put into the conversation under a kind of its own. */
    custom_message: { kind: string; message: ScorelMessage; data?: unknown };
    /** Side information from the harness: joined to the tool result before it, else a message of its own. */
    harness_item: HarnessItem;
  }
  interface Transients {
    /** A message begins to arrive; `eventId` is the id that it will bear in the log. */
    message_start: { eventId: EventId; parentId: EventId | null; role: "assistant" | "tool_result"; model?: string };
    /** More text of a message that is arriving. */
    text_delta: { eventId: EventId; delta: string };
    /** More thinking of a message that is arriving; `blockIndex` is its place in the content. */
    thinking_delta: { eventId: EventId; delta: string; blockIndex: number };
    /** More of a tool call's arguments, as JSON text. */
    tool_call_delta: { eventId: EventId; toolCallId: string; toolName?: string; delta: string };
    /** A tool starts, with the arguments that it gets, unless its call is refused; its result will hang at `parentId`, unless another call of the batch ends first. */
    tool_execution_start: { eventId: EventId; parentId: EventId; toolCallId: string; toolName: string; args: unknown };
    /** What a running tool has to show so far; each one replaces the one before. */
    tool_execution_update: { eventId: EventId; toolCallId: string; partial: unknown };
    /** A tool has ended; its result is in the log under `eventId`, unless `message_cancelled` said otherwise. */
    tool_execution_end: {
      eventId: EventId;
      toolCallId: string;
      toolName: string;
      durationMs: number;
      isError: boolean;
    };
    /** A round begins: one model call with the tools that it asks for. Counted from 0 in each turn. */
    turn_start: { turnIndex: number };
    /** A round has ended: with the reply `messageId`, and `resultIds` in the order of its calls, as far as they are in the log. */
    turn_end: { turnIndex: number; usage?: Usage; stopReason?: string; messageId?: EventId; resultIds?: EventId[] };
    /** A turn begins: from a user message until the agent rests. */
    runtime_start: Record<string, never>;
    /** A turn has ended, and why. */
    runtime_end: { error?: string; reason: "completed" | "cancelled" | "error" };
    /** A message that was arriving ended before it had any text; nothing of it is in the log. */
    message_cancelled: { eventId: EventId; reason: "user_cancel" | "error" | "max_tokens" };
    /** The session was opened. */
    session_start: Record<string, never>;
    /** The session is about to close. */
    session_end: { reason: string };
    /** The user has sent a prompt; what plugins want to add to it, they add by the hook `promptSubmit`. */
    prompt_submit: { prompt: string };
    /** A turn ended well; `duration` in milliseconds. */
    turn_finish: { usage: Usage; duration: number };
    /** A turn failed. */
    turn_error: { error: { code: string; message: string } };
  }
  interface Projections {
    /** The session's current name, model and so on: all `session_info` changes folded. */
    sessionMeta: SessionMeta;
  }
}
