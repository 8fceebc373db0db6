import type { EventId } from "@scorel/kernel";
import type { ImageBlock, ReportedUsage, TextBlock, Usage } from "@scorel/tools/contract";

export type { ImageBlock, ReportedUsage, TextBlock, Usage };

/**
 * How an event is displayed. The union is closed, so that every client can show the events of every plugin. `text` is always a
 * usable plain-text form.
 */
export type DisplayAction =
  /** A message of a conversation. `label` is a small mark such as "queued" or "steered". */
  | {
      display: "bubble";
      role: "user" | "assistant" | "system";
      text: string;
      thinking?: string;
      label?: string;
      partial?: boolean;
      /** Whether an incomplete message was interrupted by somebody, or by the end of the host. Otherwise it broke off. */
      interrupted?: boolean;
    }
  /** One line of information outside the conversation. */
  | { display: "notice"; level: "info" | "warning" | "error"; text: string }
  /** A mark in the timeline, such as "went back to here"; `target` is the id of the event that it refers to. */
  | { display: "marker"; text: string; target?: string }
  /** Work with a title, a state and a body. `session` is the id of a session that does the work, which clients can open. */
  | {
      display: "card";
      title: string;
      status: "running" | "done" | "error";
      text: string;
      body?: DisplayAction[];
      session?: string;
    }
  /** A short tag on the message that follows. */
  | { display: "badge"; text: string }
  /** Long content, closed by default. */
  | { display: "fold"; title: string; text: string }
  /** A unified diff of one file. */
  | { display: "diff"; path: string; text: string }
  /** A list whose items may have a state. */
  | { display: "list"; title?: string; items: { text: string; state?: "open" | "active" | "done" }[]; text: string }
  | { display: "hidden" };

/** Thinking of a model, as its provider has sent it. */
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  [providerField: string]: unknown;
}
/** A call of a tool in a reply. */
export interface ToolCallBlock {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  [providerField: string]: unknown;
}

/**
 * The difference between the arguments that the model wrote and those that the tool got, after defaults, transforms and
 * hooks.
 */
export interface ArgumentChange {
  /** Arguments that were added or have another value. */
  set?: Record<string, unknown>;
  /** Arguments that were removed. */
  unset?: string[];
}

/** A file or folder that a message mentions as `@path`. */
export interface Mention {
  /** The path as written in the message. */
  path: string;
  /** The kind of the attachment; absent if nothing was attached, for the reason in `problem`. */
  kind?: "file" | "folder" | "image";
  problem?: string;
  /** The first and the last attached line, and the number of lines in the file. Lines count from 1. */
  lines?: readonly [first: number, last: number, total: number];
  /** Set if the rest of the file did not fit. */
  cut?: true;
  /** The number of entries of a folder. */
  entries?: number;
}
/** The content of a message with the mentioned files attached, and the outcome for each of them. */
export interface AttachedContent {
  content: UserMessage["content"];
  mentions: readonly Mention[];
}

/** Metadata of a message; never sent to a model. */
export interface MessageMeta {
  /** How the message entered a running turn; absent if it has started one. */
  source?: "steer" | "followUp";
  /** The queue item that this message delivers. */
  queueItemId?: string;
  /** Id made by the client; a message with the same id is not sent twice. */
  messageId?: string;
  /** Hash of the content as it was sent with `messageId`; absent if it was changed before it was stored. */
  sentHash?: string;
  /** A failed reply that was retried: stored and shown, but not part of the conversation. */
  retried?: true;
  /** On a user's message: mentions and skills in it are ignored, because its text may come from other people. */
  literal?: true;
  /** On a user's message: limits of the turn that answers it, in model calls and US dollars. */
  limits?: { rounds?: number; cost?: number };
  /** On a user's message: the files that it mentions, and whether each was attached. */
  mentions?: readonly Mention[];
  /** On a tool result: how the tool's arguments differ from those in the call. */
  arguments?: ArgumentChange;
  /** On a tool result: set if a person has refused the call, with the reason if they gave one. */
  refused?: { reason?: string };
  [key: string]: unknown;
}
/** Why a reply has ended: it is complete, cut at the output limit, calls tools, failed, or was aborted. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** A message of a user. `timestamp` is in milliseconds since 1970, as in all messages. */
export interface UserMessage {
  role: "user";
  content: string | (TextBlock | ImageBlock)[];
  timestamp: number;
  meta?: MessageMeta;
}
/** A reply of the model. */
export interface AssistantMessage {
  role: "assistant";
  content: (TextBlock | ThinkingBlock | ToolCallBlock)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  /** Set if the reply ended early. Its text is kept, its tool calls are not. */
  partial?: true;
  timestamp: number;
  meta?: MessageMeta;
  [providerField: string]: unknown;
}
/** The result of a tool call. */
export interface ToolResultMessage {
  role: "tool_result";
  toolCallId: string;
  toolName: string;
  content: (TextBlock | ImageBlock)[];
  /** For clients and projections; never sent to a model. */
  details?: unknown;
  isError: boolean;
  /** The usage of models by the call itself, if its tool reports it. */
  usage?: ReportedUsage;
  timestamp: number;
  meta?: MessageMeta;
}
/** A message that is stored and shown but never sent to a model. */
export interface InternalMessage {
  role: "internal";
  content: string;
  timestamp: number;
  meta?: MessageMeta;
}
/** Any message of a conversation. */
export type ScorelMessage = UserMessage | AssistantMessage | ToolResultMessage | InternalMessage;

/** Kinds of system notes in the conversation. */
export type HarnessKind =
  | "attachment"
  | "skill_listing"
  | "skill_delta"
  | "memory"
  | "date_change"
  | "steer"
  | "runtime_notice";

/** A system note in the conversation. The model reads it as a `<system-reminder>`; people never see it as a message. */
export interface HarnessItem {
  kind: HarnessKind;
  /** The author or cause of the note. */
  origin: "user" | "system" | "tool" | "skill";
  /** Who can read it: the model, people, or both. */
  visibility: "model" | "user" | "both";
  text: string;
  /**
   * Data for the plugin that wrote it. `level: "info"` shows a `runtime_notice` that is no warning. `cards` gives cards of earlier calls
   * another state, by the ids of the events with their results; see {@link CardChange}.
   */
  data?: unknown;
}

/** How work has ended that went on after its call had a result, such as a command in the background. That result has `goesOn: true` in its details. */
export interface CardChange {
  status: "done" | "error";
  text: string;
}

/** Settings of a session. */
export interface SessionMeta {
  name?: string;
  /** A title that was generated by a model; `name` takes precedence. */
  title?: string;
  /** `provider/id` of the model of the latest turn, or of the next one. */
  model?: string;
  /** `provider/id` of the model that was chosen in the session. It is used again when the session is reopened. */
  chosenModel?: string;
  thinkingLevel?: string;
  cwd?: string;
  /** Whether the session is archived: lists leave it out until a message is sent in it again. */
  archived?: boolean;
  [key: string]: unknown;
}

/** An event of a plugin, with a `kind` that the plugin has chosen. */
export type CustomEvent =
  | { type: "custom"; kind: string; data: unknown }
  | { type: "custom_message"; kind: string; message: ScorelMessage; data?: unknown };
/** Renders custom events of one kind. */
export type CustomDisplay = (event: CustomEvent) => DisplayAction;

declare module "@scorel/kernel" {
  interface Services {
    /** Renders a custom event, if a plugin does so for its kind. */
    customDisplay: (event: CustomEvent) => DisplayAction | undefined;
  }
  interface Contributions {
    /**
     * Renderers for `custom` and `custom_message` events, by kind. Of two plugins with the same kind, the later one
     * wins.
     */
    displays: Record<string, CustomDisplay>;
  }
  interface Types {
    message: ScorelMessage;
    display: DisplayAction;
  }
  interface Events {
    /** A message of the user, the model or a tool. */
    message: { message: ScorelMessage };
    /** The conversation continues from an earlier event, or from the start (null). Later events stay in the log. */
    rewind: { targetEventId: EventId | null };
    /** The conversation continues at another leaf of the tree. */
    branch: { leafEventId: EventId };
    /** A summary that replaces everything up to `compactedThrough`. Later events are kept. */
    compact: {
      summary: string;
      compactedThrough: EventId;
      tokensBefore: number;
      tokensAfter: number;
      /** How the summary was made: by a model, as an extract without one, or by a layer of `beforeCompact`. */
      method?: "model" | "extract" | "plugin";
      /** `provider/id` of the model that wrote it, and its usage. */
      model?: string;
      usage?: Usage;
      /** Why the summary was not written by a model. */
      note?: string;
      /** Id made by the client that requested it. */
      messageId?: string;
    };
    /** The next message came from a channel such as a chat service, where its id is `externalId`. */
    channel_inject: { channel: string; externalId: string; metadata?: Record<string, unknown> };
    /** Settings of the session changed; see the projection `sessionMeta`. */
    session_info: { changes: Partial<SessionMeta> };
    /** Data of a plugin. Never sent to a model, and not shown when it contains `hidden: true`. */
    custom: { kind: string; data: unknown };
    /** A message that a plugin put into the conversation. */
    custom_message: { kind: string; message: ScorelMessage; data?: unknown };
    /** A system note. It is merged into the preceding tool result, else sent as a message. */
    harness_item: HarnessItem;
    /** A turn failed. Shown where the answer would be, and never sent to a model. */
    turn_failed: { error: { code: string; message: string } };
  }
  interface Transients {
    /** A message starts to arrive. `eventId` is the id that it will have in the log. */
    message_start: { eventId: EventId; parentId: EventId | null; role: "assistant" | "tool_result"; model?: string };
    /** More text of the arriving message. */
    text_delta: { eventId: EventId; delta: string };
    /** More thinking of the arriving message. `blockIndex` is the index in its content. */
    thinking_delta: { eventId: EventId; delta: string; blockIndex: number };
    /** More of a tool call's arguments, as JSON text. */
    tool_call_delta: { eventId: EventId; toolCallId: string; toolName?: string; delta: string };
    /**
     * A tool starts with these arguments, unless the call is refused. Its result will follow `parentId`, or another
     * call of the batch that ends first.
     */
    tool_execution_start: { eventId: EventId; parentId: EventId; toolCallId: string; toolName: string; args: unknown };
    /**
     * A call waits until others of its batch have ended, or runs after it had to wait for them or for a user's answer. A call without
     * this event runs from `tool_execution_start` on.
     */
    tool_execution_state: { eventId: EventId; toolCallId: string; state: "waiting" | "running" };
    /** Progress of a running tool, with the `usage` so far if the tool reports it. Each update replaces the previous one. */
    tool_execution_update: { eventId: EventId; toolCallId: string; partial: unknown };
    /**
     * A tool has ended. Its result is in the log as `eventId`, unless `message_cancelled` was sent for it. `durationMs` does not include the
     * time that the call waited.
     */
    tool_execution_end: {
      eventId: EventId;
      toolCallId: string;
      toolName: string;
      durationMs: number;
      isError: boolean;
    };
    /** A round starts: one model call with its tools. `turnIndex` counts from 0 in each turn. */
    turn_start: { turnIndex: number };
    /**
     * A round has ended. `messageId` is its reply and `resultIds` its results in the order of the calls, if they are in
     * the log.
     */
    turn_end: { turnIndex: number; usage?: Usage; stopReason?: string; messageId?: EventId; resultIds?: EventId[] };
    /** A turn starts. It lasts from a user message until the agent rests. */
    runtime_start: Record<string, never>;
    /** A turn has ended. `cancelledBy`: the id of the client that has cancelled it. `hostStopped`: its host was stopped. */
    runtime_end: {
      error?: string;
      reason: "completed" | "cancelled" | "error";
      cancelledBy?: string;
      hostStopped?: boolean;
    };
    /** An arriving message ended without any text and is not in the log. */
    message_cancelled: { eventId: EventId; reason: "user_cancel" | "error" | "max_tokens" };
    /** The session was opened. */
    session_start: Record<string, never>;
    /**
     * The session was opened read-only, and the process that had it open has ended. Events that listeners append while they handle this event
     * are kept in memory, so that readers see how interrupted work has ended.
     */
    session_abandoned: Record<string, never>;
    /** Another client has opened the session. Its id is the event's `clientId`; `name` is for display. */
    client_joined: { name: string };
    /** A client has left the session, while others stay. */
    client_left: { name: string };
    /** The session is about to close. */
    session_end: { reason: string };
    /** The user has submitted a prompt. Plugins add to it with the hook `promptSubmit`. */
    prompt_submit: { prompt: string };
    /** A turn ended without an error. `duration` is in milliseconds. */
    turn_finish: { usage: Usage; duration: number };
    /**
     * A turn failed. `eventId` is the stored `turn_failed`, which is displayed; without one, the log could not be written, and this event is
     * displayed.
     */
    turn_error: { error: { code: string; message: string }; eventId?: EventId };
  }
  interface Projections {
    /** The session's current settings: all `session_info` changes merged. */
    sessionMeta: SessionMeta;
  }
}
