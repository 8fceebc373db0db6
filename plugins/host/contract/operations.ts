import type { QueueItem, SendOptions, TurnOutcome } from "@scorel/agent/contract";
import type { EventId, Message } from "@scorel/kernel";
import type { UserMessage } from "@scorel/messages/contract";
import type { Notice, SessionOptions } from "@scorel/workspace/contract";
import type { OperationDescription, Page, PageParams } from "./answers.ts";
import type { EventPage } from "./events.ts";
import type { CommandResult, Compacted, InfoChanged, JumpWithFiles, RequestsNow, Rights, Undone } from "./results.ts";
import type {
  ModelRow,
  QueuedMessage,
  Relation,
  SessionGlance,
  SessionHealth,
  SessionStatus,
  SessionSummary,
  ThinkingLevel,
} from "./sessions.ts";

/**
 * Operations of the client contract: name -> params and result. Plugins add rows by declaration merging into this
 * module, and their handlers as the contribution `operations`.
 */
export interface Operations {
  /** Does nothing. Shows that the host answers. */
  ping: { params: Record<string, never>; result: { pong: true } };
  /** Describes the operations that the client may use: the host's and, with a `sessionId`, those of the session's plugins. */
  list_operations: {
    params: { sessionId?: string | undefined } & PageParams;
    result: { operations: OperationDescription[] } & Page;
  };
  /** Returns what the client may do in a session, according to the scope of its connection. */
  get_rights: { params: { sessionId?: string | undefined }; result: Rights };
  /** Creates a session in a directory and opens it. With `unsaved`, its log is kept in memory only. Throws HOST_CWD_INVALID. */
  create_session: {
    params: { cwd: string; name?: string; unsaved?: boolean } & Relation & SessionOptions;
    result: SessionStatus;
  };
  /**
   * Creates a session with a copy of another one's conversation, up to `eventId` (or its beginning; default: the active
   * leaf). The original is not changed and may be in use. With `unsaved`, the log is kept in memory only. The file is
   * created with the first event, or with `atOnce` immediately. A repeated `messageId` returns the same session.
   */
  clone_session: {
    params: {
      sessionId: string;
      eventId?: EventId;
      unsaved?: boolean;
      atOnce?: boolean;
      messageId?: string;
    } & SessionOptions;
    result: SessionStatus;
  };
  /** Opens a stored session. `sessionId` may be the beginning of an id if it is unambiguous. */
  load_session: { params: { sessionId: string } & SessionOptions; result: SessionStatus };
  /** Opens the session with the latest event in a directory. Throws SESSION_NONE. */
  continue_session: { params: { cwd: string } & SessionOptions; result: SessionStatus };
  /**
   * Lists sessions, latest activity first, at most `limit` (up to 1000) per page. Includes sessions that are open in this process and not
   * stored yet, but not unsaved ones. `cwd` or `project` (id, name or directory) restrict the list. Sessions with a parent are only
   * included with `children`, or with `parent` for the children of one session; archived ones only with `archived`.
   */
  list_sessions: {
    params: { cwd?: string; project?: string; children?: boolean; parent?: string; archived?: boolean } & PageParams;
    result: { sessions: SessionSummary[] } & Page;
  };
  /**
   * Sends a user's message. It begins a turn, or waits in the queue while one runs. After a turn was cancelled or has failed, waiting
   * messages are not delivered automatically: the next sent message begins a turn and is delivered first, and the waiting ones follow it.
   * `run_queue` delivers them without another message.
   */
  send_message: {
    params: { sessionId: string; content: UserMessage["content"] } & Pick<
      SendOptions,
      "messageId" | "running" | "mentions" | "limits"
    >;
    result: { status: "started" | "queued" | "duplicate"; id: string };
  };
  /** Resolves with the outcome of the turn that answers a sent message. */
  wait_turn: { params: { sessionId: string; id: string }; result: TurnOutcome };
  /**
   * Cancels the running turn, no matter which client began it. If other clients that have the session open have
   * queued messages, the queue is then sent. Otherwise the messages stay in the queue.
   */
  cancel: { params: { sessionId: string }; result: { cancelled: boolean } };
  /**
   * Returns the queued messages in order, and `seq` for `expectedSeq`. Read-only, so it works while another process
   * writes.
   */
  get_queue: { params: { sessionId: string } & PageParams; result: { seq: number; items: QueuedMessage[] } & Page };
  /**
   * Reorders and changes the queued messages; omitted ones are removed. Changes nothing and throws AGENT_QUEUE_CONFLICT if the queue has
   * changed since `expectedSeq`, or AGENT_QUEUE_UNKNOWN if a message was delivered or removed in the meantime. A repeated `messageId` has
   * no further effect. Throws HOST_FORBIDDEN if a client that may not answer questions changes other clients' messages or their relative
   * order.
   */
  rewrite_queue: {
    params: {
      sessionId: string;
      items: { id: string; mode?: QueueItem["mode"]; content?: UserMessage["content"] }[];
      expectedSeq?: number;
      messageId?: string;
    };
    result: { items: { id: string }[] };
  };
  /** Starts a turn with the queued messages. `id` is for `wait_turn`. A running turn delivers them by itself. */
  run_queue: { params: { sessionId: string }; result: { status: "started" | "running" | "empty"; id?: string } };
  /**
   * Returns the conversation as stored, from the last summary on. Changes that plugins make per request are not included. A page has
   * the last messages, at most `limit` and about 8 MB; `more` is set if there are earlier ones. `skip` leaves out this number of messages
   * at the end, to get the previous page.
   */
  get_context: {
    params: { sessionId: string } & PageParams;
    result: { messages: Message[] } & Page;
  };
  /**
   * Returns stored events in seq order: the first `limit` after the event `after`, or the last `tail` before the event `before`; by
   * default from the start. A page has at most 5,000 events and about 8 MB of text. With `more`, request the next page after the last event
   * of this one, or before its first event. Read-only, so it works while another process writes. Throws HOST_EVENT_UNKNOWN for an event
   * that is not in the log; the client then has to start over. If the session is not open, each call reads its log again, so a client
   * that needs several pages should open it with `load_session` first.
   */
  get_events: {
    params: { sessionId: string; after?: EventId; limit?: number; tail?: number; before?: EventId };
    result: EventPage;
  };
  /** Returns the status of a session. */
  get_status: { params: { sessionId: string }; result: SessionStatus };
  /**
   * Returns a part of the status, and announces later changes with `status_change` events, until the client leaves the session.
   */
  follow_status: { params: { sessionId: string }; result: SessionGlance };
  /**
   * Reopens a session over the same log with the current plugins and configuration; options and choices are kept.
   * Listeners stay subscribed and get `session_start`. Clients that answer questions must call `attend_requests` again. Throws
   * HOST_SESSION_BUSY during a turn. Throws CONFIG errors, or HOST_RELOAD if a running extension could no longer run; the session then
   * continues unchanged.
   */
  reload_session: { params: { sessionId: string }; result: SessionStatus };
  /**
   * Releases a session that the client has open. The last client to release it closes it (`closed`); `notices` tell what failed then.
   */
  close_session: { params: { sessionId: string }; result: { closed: boolean; notices: Notice[] } };
  /**
   * Checks the files of the `limit` sessions written last (default 5) without changing them. Reads about 64 MB of logs in total; for the
   * other sessions, checks only the files beside the log.
   */
  check_sessions: { params: { limit?: number }; result: { total: number; sessions: SessionHealth[] } };
  // Operations of other plugins. Without the plugin, they throw HOST_OPERATION_UNKNOWN.
  /**
   * Runs a slash command. A client that may only read can run commands that only read, such as `/cost`. Throws COMMAND_UNKNOWN,
   * COMMAND_ARGUMENTS, and errors of the command.
   */
  run_command: { params: { sessionId: string; name: string; args: string }; result: CommandResult };
  /** Returns the open questions and the status texts. */
  list_requests: { params: { sessionId: string }; result: RequestsNow };
  /**
   * Summarizes the older part of a conversation; `instructions` say what to keep. Throws COMPACTION_BUSY during a
   * turn. A repeated `messageId` returns the first result.
   */
  compact: { params: { sessionId: string; instructions?: string; messageId?: string }; result: Compacted };
  /** Rewinds to before the last user message. Throws HISTORY_NO_UNDO, HISTORY_CONFLICT and LOG_BUSY. */
  undo: { params: JumpWithFiles; result: Undone };
  /**
   * Changes the session's name, model or thinking level, like `rename_session`, `set_model` and `set_thinking`. Throws HISTORY_NO_CHANGE,
   * and MODEL errors for an unusable model.
   */
  update_info: {
    params: {
      sessionId: string;
      changes: {
        name?: string | undefined;
        model?: string | undefined;
        thinkingLevel?: ThinkingLevel | undefined;
        archived?: boolean | undefined;
      };
      messageId?: string | undefined;
    };
    result: InfoChanged;
  };
  /** Changes the name of a session. */
  rename_session: {
    params: { sessionId: string; name: string; messageId?: string | undefined };
    result: InfoChanged;
  };
  /** Archives a session: `list_sessions` leaves it out until a user's message is added. `archived: false` takes it back. */
  archive_session: {
    params: { sessionId: string; archived?: boolean | undefined; messageId?: string | undefined };
    result: InfoChanged;
  };
  /**
   * Lists the models that a session can use, the configured ones first. `filter`: words that `provider/id` must contain, in upper or
   * lower case. `ready`: only models with a key or a subscription, and the current one.
   */
  list_models: {
    params: { sessionId: string; filter?: string | undefined; ready?: boolean | undefined } & PageParams;
    result: { models: ModelRow[] } & Page;
  };
  /** Changes the model for the next requests. The choice is stored in the session. Throws MODEL errors for an unusable model. */
  set_model: {
    params: { sessionId: string; model: string; messageId?: string | undefined };
    result: InfoChanged;
  };
  /** Changes the thinking level for the next requests. */
  set_thinking: {
    params: { sessionId: string; level: ThinkingLevel; messageId?: string | undefined };
    result: InfoChanged;
  };
}

export type Operation = keyof Operations & string;
