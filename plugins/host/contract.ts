import type { QueueItem, SendOptions, TurnOutcome } from "@scorel/agent/contract";
import type { CliOption } from "@scorel/cli/contract";
import type {
  AnyEvent,
  Awaitable,
  DisplayAction,
  EventDefinition,
  EventId,
  Kernel,
  Message,
  Missed,
  Session,
  SessionHeader,
} from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";
import type {
  Composition,
  NestedSkills,
  Notice,
  PresetPackage,
  SessionOption,
  SessionOptions,
  TrustedCopy,
  Workspace,
} from "@scorel/workspace/contract";
import type { z } from "zod";

export type { Composition, NestedSkills, Notice, PresetPackage, SessionOption, SessionOptions, TrustedCopy, Workspace };

export type QuestionKind = "select" | "confirm" | "input";
export interface SessionSummary {
  sessionId: string;
  name?: string;
  /** Current working directory. */
  cwd: string;
  /** Id of the project that the session was created in. */
  projectId?: string;
  createdAt: number;
  updatedAt: number;
  /** Number of user and assistant messages. Absent for a large log that would have to be read whole. */
  messages?: number;
  /** The first user message, shortened. */
  title: string;
  path: string;
  problem?: string;
  /** The session that it belongs to. Such sessions are listed only when asked for. */
  parent?: SessionParent;
  /** What kind of session it is, such as `subagent`. */
  kind?: string;
  /** The preset that it was created with, if one was named. */
  preset?: string;
  /** Whether a turn is running. Absent for sessions that are not open in this process. */
  running?: boolean;
  /** The running turn has not begun yet: as many of other sessions run as `[host] concurrentTurns` allows. */
  turn?: "waiting";
  /** The kinds of the open questions, in the order in which they were asked; absent when there are none. */
  questions?: QuestionKind[];
}
/**
 * A change of a session of this process, with the session's row as `list_sessions` returns it.
 *
 * - `created`, `opened`, `closed`: the session was created, opened or closed. `renamed`: it has another name or title.
 * - `running`, `idle`: a turn has started or ended.
 * - `asking`, `answered`: a question was asked, or is no longer open.
 * - `restored`: it is back from the trash. `deleted`: it is no longer in the list; the row is its last one.
 * - `missed`: the listener was too slow, and changes were dropped. Call `list_sessions` again.
 */
export type SessionChange =
  | {
      change:
        | ("created" | "opened" | "closed" | "deleted" | "restored" | "renamed")
        | ("running" | "waiting" | "idle" | "asking" | "answered");
      session: SessionSummary;
    }
  | { change: "missed" };
/** The session that a session belongs to, and the tool call that it was created for. */
export interface SessionParent {
  sessionId: string;
  toolCallId?: string;
}
/** What a session is created for. It is stored in its header and does not change. */
export interface Relation {
  /** Name of a preset, found and trusted as for `--preset`. Default: the parent's, or that of the run. */
  preset?: string;
  /**
   * An open session that the new one belongs to. The new session may do at most what its parent may, also when it is opened
   * again later.
   */
  parent?: SessionParent;
  /** What kind of session it is: a short word such as `subagent`. */
  kind?: string;
  /** Data of plugins as plain JSON, by plugin id; up to 64 KB. */
  data?: Record<string, unknown>;
}
/** An event as a client gets it, with how to display it. */
export interface Delivered {
  event: AnyEvent | Missed;
  display: DisplayAction;
}
/** A position in the events of a session: what a client has received so far. */
export interface Anchor {
  /** Changes when the log loses events. */
  epoch: string;
  /** The last persistent event; 0 and null before the first. */
  persistentSeq: number;
  persistentId: EventId | null;
  /** Changes each time the session is opened. */
  activation: string;
  /** The last event of the activation, persistent or transient; -1 if only persistent events were received. */
  streamSeq: number;
}
/**
 * How a client goes on when it subscribes.
 *
 * - `stream_resume`: with the next event after its anchor. It keeps everything that it has.
 * - `persistent_fallback`: with the next stored event after its anchor. It keeps the stored events that it has and forgets what
 *   was in flight.
 * - `full_reload`: from the start. It forgets everything that it has of the session.
 */
export type ResumeMode = "stream_resume" | "persistent_fallback" | "full_reload";
export interface SubscribeOptions {
  /** The events that may wait until the listener misses transient ones and gets a `missed` event. Default: 10,000. */
  capacity?: number;
  /** The same for the estimated size of the waiting events, and for the time that the oldest has waited. Default: no limit. */
  maxBytes?: number;
  maxAgeMs?: number;
  /** Deltas that arrive together may be merged. */
  joined?: boolean;
  /** The position of an earlier subscription to the session, after which to go on. */
  anchor?: Anchor;
  /** Number of stored events to get first when starting from the start; Infinity for all. Default: 0. */
  tail?: number;
  /**
   * Called when the subscription goes on after the connection to the host was lost, before the events that were missed. The mode
   * says what the listener has to forget; `begun` is what the host answered, and its anchor the position before those events.
   */
  resumed?(mode: ResumeMode, begun: Pick<Subscription, "more" | "status" | "anchor">): void;
  /**
   * Called when the connection to the session's host was lost, and after each attempt to connect again that failed. Events may be
   * missing until `resumed` is called.
   */
  interrupted?(state: Waiting): void;
  /**
   * Called when the subscription cannot go on after the connection was lost, as when the session was deleted meanwhile. Default: the
   * error is thrown, as that of a listener.
   */
  ended?(error: Error): void;
}
/** A lost connection, which is tried again at `at`, in milliseconds since 1970. */
export interface Waiting {
  state: "waiting";
  at: number;
  /** Why it was lost, or why the last attempt to connect failed: a clause without a full stop at its end. */
  reason: string;
  /** The host has said that it stops, as one does that is replaced. */
  hostStopped?: boolean;
  /** The command that starts a host again, if it was one of this computer. */
  startedBy?: string;
  /** Somebody answered who has not proved to be the host, and was not sent the token. */
  unproven?: boolean;
}
/** How a client is connected to its host. */
export type LinkState =
  | { state: "connecting" }
  /** `moved`: the process that had the session has ended, and the session goes on in this process or in another one. */
  | { state: "live"; version: string; moved?: "here" | "elsewhere" }
  | Waiting
  | { state: "closed"; error?: Error | undefined };
/** A running subscription. Call it to unsubscribe. */
export interface Subscription {
  (): Promise<void>;
  readonly mode: ResumeMode;
  /** Whether there are stored events before those that the listener gets: `get_events` returns them. */
  readonly more: boolean;
  /** The session when the subscription began. */
  readonly status: SessionStatus;
  /** Position after the event that the listener got last. Another subscription can go on from there. */
  readonly anchor: Anchor;
  /** Whether the event that the listener got last happened before the subscription began, or before it went on. */
  readonly isReplay: boolean;
}
/** Part of a session's stored events. */
export interface EventPage {
  header: SessionHeader;
  events: Delivered[];
  /** Whether there are further events in the direction that was read: later ones, or earlier ones with `tail`. */
  more: boolean;
  /** Position after the last returned event. */
  anchor: Anchor;
}
/** A model that a session can use. */
export interface ModelRow {
  provider: string;
  id: string;
  /** Tokens that a request and its reply may hold together, and that a reply may hold. */
  contextWindow: number;
  maxTokens: number;
  /** US dollars per million tokens; absent if they are not known. */
  cost?: { input: number; output: number } | undefined;
  /** It can read images. */
  images: boolean;
  /** It can think before it answers. */
  thinks: boolean;
  /** There is a key or a subscription for it, or it needs none. */
  ready: boolean;
  /** It is described in `[model]` or `[models.<alias>]`. */
  configured?: true | undefined;
  /** The session's next request goes to it. */
  current?: true | undefined;
}

/**
 * What is worth showing of a session all the time. A field is absent while it is not known. `follow_status` asks for its changes, which
 * come as `status_change`.
 */
export interface SessionGlance {
  /** `provider/id` of the model for the next turn; absent when there is none. */
  model?: string;
  /** Why no model can be used. */
  modelError?: { code: string; message: string };
  /** How hard the model thinks. */
  thinking?: ThinkingLevel;
  /** The permission mode in force, and the one that applies when none is chosen in the session. */
  permission?: string;
  permissionDefault?: string;
  /** Tokens of the next request: what the last reply reported, and an estimate of what came after it. */
  context?: {
    tokens: number;
    /** The model's window in tokens, and the used share of it from 0 to 1 (more if the conversation is too long). */
    window?: number;
    share?: number;
  };
  /** What the whole session has used so far, on all branches. Absent before the first reply. */
  spent?: {
    /** Tokens that were sent without a cache, received, read from a cache and written to it. */
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    /** The share of the sent tokens that came from a cache, from 0 to 1; absent if none were sent. */
    cachedShare?: number;
    /** US dollars; absent if the price of any model that has answered is not known. */
    cost?: number;
  };
  /** The checked-out git branch of the session's directory, or the beginning of the commit's id. */
  branch?: string;
}
/** The present activity of the running turn. Times are in milliseconds since 1970, by the host's clock. */
export type Doing =
  /** As many turns of other sessions run as `[host] concurrentTurns` allows. */
  | { state: "waiting"; since: number }
  /** A person is asked; `text` is the title of the first open question. */
  | { state: "asking"; text: string }
  /** The model is called again at `until`, after an error. */
  | { state: "retrying"; until: number; attempt: number; of: number; reason: string }
  /** The conversation is being summarized. */
  | { state: "compacting"; since: number }
  /** A tool runs; `text` describes the call in one line. `calls` is how many run; this one began first. */
  | { state: "tool"; since: number; tool: string; text: string; calls: number }
  /** The model was asked, and no text of its answer has arrived. */
  | { state: "thinking"; since: number }
  /** The answer is arriving. */
  | { state: "answering"; since: number };

export interface SessionStatus extends SessionGlance {
  sessionId: string;
  running: boolean;
  /** The running turn has not begun yet: as many of other sessions run as `[host] concurrentTurns` allows. */
  turn?: "waiting";
  /** The kinds of the open questions, in the order in which they were asked; absent when there are none. */
  questions?: QuestionKind[];
  leafId: EventId | null;
  meta: SessionMeta;
  anchor: Anchor;
  /** Damage that was found when the log was opened. */
  problems: { line: number; offset: number; reason: string }[];
  /** What was left out when the session was opened, and what has failed since. */
  notices: Notice[];
  /** How many clients have the session open; absent when there is one. */
  clients?: number;
  /** Those of them that have a name and follow the session, or have sent something; absent when one client has the session open. */
  present?: { clientId: string; name: string }[];
  /** Number of queued messages; absent when there are none. They are sent with the next turn or by `run_queue`. */
  waiting?: number;
  /** The present activity of the running turn; absent when none runs. */
  doing?: Doing;
}

/** What a client may do in sessions that it can read. */
export interface Rights {
  /** It may open the session, send messages and cancel turns. */
  write: boolean;
  /** It may answer questions, such as whether a command may run. */
  answer: boolean;
}

/**
 * Operations of the client contract: name -> params and result. Plugins add rows by declaration merging into this
 * module, and their handlers as the contribution `operations`.
 */
export interface Operations {
  ping: { params: Record<string, never>; result: { pong: true } };
  /** Describes the operations that the client may use: the host's and, with a `sessionId`, those of the session's plugins. */
  list_operations: {
    params: { sessionId?: string | undefined } & PageParams;
    result: { operations: OperationDescription[] } & Page;
  };
  /** Tells what the client may do in a session, by the scope of its connection. */
  get_rights: { params: { sessionId?: string | undefined }; result: Rights };
  create_session: {
    params: { cwd: string; name?: string; unsaved?: boolean } & Relation & SessionOptions;
    result: SessionStatus;
  };
  /**
   * Creates a session with a copy of another one's conversation, up to `eventId` (or its beginning; default: the active
   * leaf). The original is not changed and may be in use. With `unsaved`, the log is kept in memory only. The file is
   * created with the first event, or now with `atOnce`. A repeated `messageId` returns the same session.
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
  /** Opens the session of a directory that has the latest event; throws SESSION_NONE. */
  continue_session: { params: { cwd: string } & SessionOptions; result: SessionStatus };
  /**
   * Lists sessions, latest activity first, at most `limit` (up to 1000) in a page, also those that are open in this process and not
   * stored yet, but not unsaved ones. `cwd` or `project` (id, name or directory) restrict the list.
   * Sessions with a parent are left out, unless `children` asks for them, or `parent` for those of one session.
   */
  list_sessions: {
    params: { cwd?: string; project?: string; children?: boolean; parent?: string } & PageParams;
    result: { sessions: SessionSummary[] } & Page;
  };
  /**
   * Sends a user's message. It begins a turn, or waits in the queue while one runs. Messages that still wait after a turn was cancelled or
   * has failed are not delivered on their own: the next message that is sent begins a turn, and they follow it there, also those that were
   * sent before it. `run_queue` delivers them without another message.
   */
  send_message: {
    params: { sessionId: string; content: UserMessage["content"] } & Pick<
      SendOptions,
      "messageId" | "running" | "mentions"
    >;
    result: { status: "started" | "queued" | "duplicate"; id: string };
  };
  /** Resolves with the outcome of the turn that answers a sent message. */
  wait_turn: { params: { sessionId: string; id: string }; result: TurnOutcome };
  /**
   * Cancels the running turn, whoever began it. Messages that other clients have queued behind it are then sent; those of the caller
   * stay in the queue if nobody else has queued any.
   */
  cancel: { params: { sessionId: string }; result: { cancelled: boolean } };
  /**
   * Returns the queued messages in order, and `seq` for `expectedSeq`. Read-only, so it works while another process
   * writes.
   */
  get_queue: { params: { sessionId: string } & PageParams; result: { seq: number; items: QueuedMessage[] } & Page };
  /**
   * Replaces the queued messages in this order and with these changes; omitted ones are removed. Changes nothing and
   * throws AGENT_QUEUE_CONFLICT when the queue is no longer at `expectedSeq`, or AGENT_QUEUE_UNKNOWN when a message was
   * delivered or removed meanwhile. A repeated `messageId` has no further effect. Throws HOST_FORBIDDEN for a client that may not
   * answer questions, unless the messages of others stay as they are, in the same order among themselves.
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
   * Returns the conversation as stored, from the last summary on. Changes that plugins make per request are not
   * included. A page has the last messages, up to about 8 MB and `limit` of them; `more` says that there are earlier ones. `skip` leaves
   * out so many at the end, which gives the page before.
   */
  get_context: {
    params: { sessionId: string } & PageParams;
    result: { messages: Message[] } & Page;
  };
  /**
   * Returns stored events in seq order: the first `limit` after the event `after`, or the last `tail` before the event
   * `before`; by default from the start. A page has at most 5,000 events, and ends after about 8 MB of text: with `more`, ask for the
   * next page after, or before, the last event of this one. Read-only, so it works while another process writes. Throws HOST_EVENT_UNKNOWN for an event
   * that is not in the log; the client then has to start over. Each call reads the log of a session that is not open; a client that
   * asks for several pages opens it with `load_session` first.
   */
  get_events: {
    params: { sessionId: string; after?: EventId; limit?: number; tail?: number; before?: EventId };
    result: EventPage;
  };
  get_status: { params: { sessionId: string }; result: SessionStatus };
  /**
   * Returns a part of the status, and announces its later changes by `status_change`, until the client leaves the session.
   */
  follow_status: { params: { sessionId: string }; result: SessionGlance };
  /**
   * Reopens a session over the same log with the current plugins and configuration; options and choices are kept.
   * Listeners stay subscribed and get `session_start`; clients that answer questions must say so again. Throws
   * HOST_SESSION_BUSY during a turn. Throws CONFIG errors, or HOST_RELOAD when a running extension could no longer run;
   * the session then goes on unchanged.
   */
  reload_session: { params: { sessionId: string }; result: SessionStatus };
  close_session: { params: { sessionId: string }; result: { closed: boolean; notices: Notice[] } };
  /**
   * Checks the files of the `limit` sessions written last (default 5) without changing them. About 64 MB of logs are
   * read in total; of further ones only the accompanying files are checked.
   */
  check_sessions: { params: { limit?: number }; result: { total: number; sessions: SessionHealth[] } };
  // Operations that other plugins answer; without the plugin they throw HOST_OPERATION_UNKNOWN.
  /**
   * Runs a slash command. A client that may only read can run those that only read, such as `/cost`. Throws COMMAND_UNKNOWN, COMMAND_ARGUMENTS, and
   * errors of the command.
   */
  run_command: { params: { sessionId: string; name: string; args: string }; result: CommandResult };
  /** The open questions and the status texts. */
  list_requests: { params: { sessionId: string }; result: RequestsNow };
  /**
   * Summarizes the older part of a conversation; `instructions` say what to keep. Throws COMPACTION_BUSY during a
   * turn. A repeated `messageId` returns the first result.
   */
  compact: { params: { sessionId: string; instructions?: string; messageId?: string }; result: Compacted };
  /** Rewinds to before the last user message. Throws HISTORY_NO_UNDO, HISTORY_CONFLICT and LOG_BUSY. */
  undo: { params: Jump; result: Undone };
  /**
   * Changes the session's name, model or thinking level, like `rename_session`, `set_model` and `set_thinking`. Throws HISTORY_NO_CHANGE, and MODEL errors for an unusable
   * model.
   */
  update_info: {
    params: {
      sessionId: string;
      changes: { name?: string | undefined; model?: string | undefined; thinkingLevel?: ThinkingLevel | undefined };
      messageId?: string | undefined;
    };
    result: InfoChanged;
  };
  rename_session: {
    params: { sessionId: string; name: string; messageId?: string | undefined };
    result: InfoChanged;
  };
  /**
   * Lists the models that a session can use, the configured ones first. `filter`: words that `provider/id` contains. `ready`: only those for
   * which there is a key or a subscription, and the one in use.
   */
  list_models: {
    params: { sessionId: string; filter?: string | undefined; ready?: boolean | undefined } & PageParams;
    result: { models: ModelRow[] } & Page;
  };
  /** Changes the model for the next requests. Throws MODEL errors for an unusable one. A choice stays with the session. */
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
/** Result of a change of a session's name, model or thinking level. */
export interface InfoChanged {
  /** Event that records the change. */
  eventId: EventId;
  meta: SessionMeta;
  /** The change in one line, for display: "Model: test/m". */
  text: string;
}
/** How hard a model thinks before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
/** The open questions and status texts of a session. The plugin `requests` adds the fields. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface RequestsNow {}
/** Result of a command. A plain string is short for `{ output }`. */
export interface CommandResult {
  /** Text for people. */
  output?: string;
  /** The same for programs. */
  data?: unknown;
  /** Session that the client should show from now on; may be the same one after a reload. */
  sessionId?: string;
  /** Text to put into the user's input line. */
  input?: string;
  /** Text for the clipboard. */
  copy?: string;
  /** Id of a message that was sent, for `wait_turn`. */
  turn?: string;
  /** True when the user asked to leave. */
  leave?: boolean;
}
/** Result of a compaction. Tokens are estimates for the next request. */
export interface Compacted {
  compacted: boolean;
  tokensBefore: number;
  tokensAfter: number;
  /** Id of the `compact` event. */
  eventId?: EventId;
  /** Why nothing was compacted, or why the summary was not written by a model. */
  note?: string;
}
/**
 * Parameters of all moves. Events are named by their id or its unambiguous beginning. A repeated request with the same
 * `messageId` has no further effect: its event in the log has an id made from it, and the earlier result is returned.
 */
export interface Jump {
  sessionId: string;
  /** Throws HISTORY_CONFLICT unless this is the active leaf when the move is written; null for the start. */
  expectedLeafId?: EventId | null | undefined;
  messageId?: string | undefined;
}

/** Result of a move. */
export interface Moved {
  /** Event that records the move. */
  eventId: EventId;
  /** Active leaf before the move; null for the start. */
  fromLeafId: EventId | null;
  leafId: EventId | null;
  /** The result in one line, for display. */
  text: string;
}
/** Result of an undo, with the message that was undone, so that a client can offer its text for editing. */
export interface Undone extends Moved {
  message: { eventId: EventId; text: string; content: UserMessage["content"] };
}
/** The service `history`: finds the events from which a conversation can continue. */
export interface HistoryService {
  /** Completes the id of a point. Throws HISTORY_EVENT_UNKNOWN, HISTORY_AMBIGUOUS and HISTORY_NO_POINT. */
  point(session: Pick<Session, "id" | "tree">, eventId: EventId): Promise<EventId>;
}
/** State of one session's files. */
export interface SessionHealth {
  sessionId: string;
  path: string;
  /** Size of the log. */
  bytes: number;
  /** Time of the last write, in milliseconds since the epoch. */
  writtenAt: number;
  /** Number of events; absent when the log was not read. */
  events?: number;
  /** Damage, one sentence each with line and offset. Remarks that are not damage are in `notes`. */
  damage: readonly string[];
  notes: readonly string[];
  /** Number of events whose parent is missing; in memory they are attached to an earlier event. */
  bridged: number;
  /** Why the log could not be read at all. */
  problem?: { code: string; message: string };
  /** Cut-off ends of the log that were moved to files of their own. */
  torn: readonly { path: string; bytes: number }[];
  /** File with the text of a reply that a killed process left. The next opening turns it into a message. */
  leftover?: string;
  /** State of the index file that speeds up opening a long log. A damaged one is rebuilt. */
  index: "none" | "whole" | "damaged";
  /** The lock file. `stale` means that its process has ended. */
  lock?: { path: string; state: "held" | "suspended" | "stale"; pid: number; since: string };
}
/** A queued message. */
export interface QueuedMessage {
  id: string;
  /** `steer`: delivered between two rounds of the running turn; `follow_up`: when the turn would end. */
  mode: QueueItem["mode"];
  content: UserMessage["content"];
  /** The client that sent it. */
  clientId: string;
}
export type Operation = keyof Operations & string;
/** What the params of an operation that answers in pages can have. */
export interface PageParams {
  /** The most items to return. Default: as many as fit into about 8 MB. */
  limit?: number | undefined;
  /** The number of items to leave out: those of the pages before. */
  skip?: number | undefined;
}
/** What the result of an operation that answers in pages has. `everyPage` of `@scorel/host/client` reads all of them. */
export interface Page {
  /** There are further items: ask again, and skip those that were returned. */
  more?: true;
}
/** What the result of an operation has whose long answers are cut. */
export interface Cut {
  /** The number of items that were left out, because the answer would have had more than about 8 MB. */
  leftOut?: number;
}
/**
 * What keeps the answer to an operation small, when its result has lists.
 *
 * - `pages`: the host returns the lists at the top of the result in pages of about 8 MB. It adds `limit` and `skip` to the params and
 *   `more` to the result, and counts the items of several lists as one after the other. `run` may return everything.
 * - `cut`: the host cuts these lists after about 8 MB, and says in `leftOut` how many items were left out. For operations that change
 *   something, which cannot be asked for a second page.
 * - `bounded`: says why the lists cannot grow with the session or with the number of sessions.
 */
export type AnswerSize = "pages" | "cut" | { bounded: string };

/** An open session, for operation handlers. */
export interface SessionHandle {
  readonly id: string;
  readonly kernel: Kernel;
  readonly workspace: Workspace;
}
/** What an operation handler gets: the calling client and access to sessions. */
export interface OperationContext {
  readonly clientId: string;
  /** Directory of the session logs. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in it. */
  readonly logs: Logs;
  /** Completes the beginning of an id; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string;
  /** Throws HOST_FORBIDDEN unless the client may use this session; without an id, unless it may use all sessions. */
  assertSession(sessionId?: string): Promise<void>;
  /**
   * Throws HOST_FORBIDDEN for a path of this computer that a limited client may not name, like the declaration `project` in `paths`: for
   * paths that are only part of a param.
   */
  assertPath(sessionId: string, path: string): Promise<void>;
  /**
   * Throws HOST_FORBIDDEN unless the client may use these operations in sessions of its scope; `"all"` means every operation in
   * every session. A client that may read can use those that are `readOnly`. `what` names what needs them. For work that does not go
   * through `request`.
   */
  assertOperations(operations: "all" | readonly string[], what: string): void;
  /** Opens a session for writing, for as long as the client is connected. */
  open(sessionId: string): Promise<SessionHandle>;
  /**
   * Runs `work` with exclusive access to a session's files, after closing the session for all clients. Throws
   * HOST_SESSION_BUSY during a turn and HOST_SESSION_LOCKED when another process has the session.
   */
  alone<R>(sessionId: string, work: () => Awaitable<R>): Promise<R>;
  /** Runs `work` on a session for reading: the open one, or else one opened without lock, repair or append. */
  look<R>(sessionId: string, work: (session: SessionHandle) => Awaitable<R>): Promise<R>;
  /** Creates the header of a new session in `cwd`, for a log that a plugin writes itself. Throws HOST_CWD_INVALID. */
  newHeader(cwd: string): SessionHeader;
  /** Tells clients that watch the sessions of one whose log a plugin has written itself. */
  announce(sessionId: string): void;
  /**
   * Returns the event types that are `importable` in a session in `cwd`, by name. Throws CONFIG errors and
   * HOST_CWD_INVALID.
   */
  importable(cwd: string): Promise<ReadonlyMap<string, EventDefinition>>;
  /** Aborts when the client releases the session or disconnects, which ends its promises there. */
  left(sessionId: string): AbortSignal;
  /** Runs another operation as the same client. */
  request: Client["request"];
}
/** A zod schema, or a function that creates it when it is first needed. */
export type SchemaSource<T> = z.ZodType<T> | (() => Awaitable<z.ZodType<T>>);

/** A JSON Schema, of draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** An operation, for those who write clients. */
export interface OperationDescription {
  name: string;
  /** What it does, in one line. */
  summary: string;
  /** Id of the plugin that answers it. */
  plugin: string;
  /** Whether it changes nothing. */
  readOnly: boolean;
  params: JsonSchema;
  /** Absent if the plugin does not say. */
  result?: JsonSchema;
}

/**
 * Which paths a limited client may name in a param. Paths are compared with all links resolved, and the answer does not tell whether
 * something exists that the client may not name.
 *
 * - `project`: files of the session's project, outside of hidden folders. The operation has a `sessionId`.
 * - `directory`: directories in which the client may create sessions: those of projects that the host knows, and those below home outside
 *   of hidden folders.
 * - `unlimited`: none; only clients that may do everything can name a path.
 * - `operation`: the operation itself decides, as `list_directories` does.
 */
export type PathReach = "project" | "directory" | "unlimited" | "operation";

/** Description and implementation of one operation. */
export interface OperationHandler<O extends Operation> {
  /** What it does, in one line, for `list_operations` and the reference. */
  summary?: string;
  /** True if it changes no conversation, setting or file, so that a client that may only read can use it. */
  readOnly?: boolean;
  /**
   * True if it has no `sessionId` but limits itself, by `assertSession`, to the sessions that the client may use. Otherwise only
   * clients that may use all sessions can use an operation without a `sessionId`.
   */
  confined?: boolean;
  /**
   * True if it stands for other operations, as a slash command does, and calls `assertOperations` with them before anything else. A client
   * that may only read can use it, too: for operations that are `readOnly`.
   */
  checksOperations?: boolean;
  /**
   * The params that name files or directories of the host's computer, with what a limited client may name. A key is the param's name, with
   * a point before each further one (`request.inputs.from`), also in lists. Checked before `run` is called.
   */
  paths?: Readonly<Record<string, PathReach>>;
  /**
   * Checked before `run` is called. Keys that the schema does not name are refused. If it names `messageId`, another request with an
   * id that was used is refused with MESSAGE_ID_REUSED, unless the operation is `readOnly`.
   */
  params: SchemaSource<Operations[O]["params"]>;
  /** What keeps the answer small. Needed when the result has lists; `params` and `result` are then objects. */
  size?: AnswerSize;
  /** What `run` returns. Checked for extensions, and in tests for the plugins of Scorel. */
  result?: SchemaSource<Operations[O]["result"]>;
  run(params: Operations[O]["params"], context: OperationContext): Awaitable<Operations[O]["result"]>;
}

/** A connection to the host, in this process or over a network. */
export interface Client {
  readonly clientId: string;
  /**
   * How it is connected to the host of the session that it opened last. Absent for a client that can only use the host of its own
   * process.
   */
  readonly state?: LinkState;
  /** Calls `listener` with every change of `state`. Returns the function that ends it. */
  onState?(listener: (state: LinkState) => void): () => void;
  request<O extends Operation>(operation: O, params: Operations[O]["params"]): Promise<Operations[O]["result"]>;
  /**
   * Subscribes to a session's events, in seq order and each once. After this has resolved, the listener first gets what it
   * missed: from its `anchor` on, or the last `tail` stored events; unless it resumes the stream, also what is in flight: the
   * running turn, the text of the arriving reply so far, running tools with their last progress, and open questions, each
   * as one event as if it had just come. Then it gets events as they happen. A reload of the session goes unnoticed.
   */
  subscribe(
    sessionId: string,
    listener: (delivered: Delivered) => void | Promise<void>,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /**
   * Tells of every session that is created, opened, changed, closed or deleted in this process from now on; see
   * SessionChange. To show a list live, call this first and `list_sessions` then. A listener that is `capacity` (default
   * 1,000) changes behind gets `missed` instead of them. Returns the function that ends it.
   */
  watchSessions(
    listener: (change: SessionChange) => void | Promise<void>,
    options?: { capacity?: number },
  ): Promise<() => Promise<void>>;
  /** Resolves when all events announced so far have reached this client's listeners of the session. */
  drained(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** Who a client is and what it may do, as decided by whoever opens its connection. */
export interface ConnectOptions {
  /** Default: a new id, which begins with the name. */
  clientId?: string | undefined;
  /**
   * What others are shown of the client: `terminal`, `print`; with a number if another client has that name: `terminal-2`. They are
   * told when it opens a session that they have open, and when it leaves. A client without a name works unnoticed, as part of a program.
   */
  name?: string | undefined;
  scope?: ClientScope | undefined;
  /** Whether the client can be reached now. One that was killed, or has lost its network, is awaited for a while, but not shown as present. */
  isHere?(): boolean;
  /** Checks the results of Scorel's own operations, too, for tests. Those of extensions are always checked. */
  checkResults?: boolean | undefined;
}

/**
 * The limits of a client. Without them, it may do everything. An operation outside them fails with HOST_FORBIDDEN, even when a slash
 * command or another operation calls it for the client.
 */
export interface ClientScope {
  /**
   * `"read"`: subscriptions, and the operations that change nothing. Or the names of the allowed operations, with `subscribe` and
   * `watch_sessions` for the two kinds of subscription, and `read` for all that change nothing.
   */
  operations?: "all" | "read" | readonly string[] | undefined;
  /**
   * Keys of the options that may let a session do more than its configuration says (`permission`, `allowWrite`, `sandbox`; see
   * `widens` of SessionOption), which the client may give when it opens one; `preset` stands for a preset of a new session that has no
   * parent. Other options are not limited. Default: `"all"` if `operations` is `"all"`, else none.
   */
  options?: "all" | readonly string[] | undefined;
  /** Ids of the sessions that it may use, beside those that it creates. */
  sessions?: readonly string[] | undefined;
  /** Ids of the projects whose sessions it may use, beside `sessions`, and where it may create some. */
  projects?: readonly string[] | undefined;
}

/**
 * The service `host`, for transports and clients. Commands that only need operations work with any host, so a plugin can wrap this
 * service and connect to a host elsewhere.
 */
export interface HostService {
  /** Connects a client. Who it is and what it may do is decided here; no operation takes either from its params. */
  connect(options?: ConnectOptions): Client;
}

/** The service `sessionLogs`: the logs of this computer's sessions. */
export interface SessionLogs {
  /** Directory of the session logs. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in it. */
  readonly logs: Logs;
  /** The path of a session's lock file, which names the process that has it open for writing. */
  lockFile(sessionId: string): string;
  /** Ids of the sessions that have a lock file; a process that was killed may have left it. */
  locked(): string[];
}

/** The service `sessionOptions`: the options that a session can be opened with. */
export interface KnownSessionOptions {
  /**
   * Returns Scorel's options and those that plugins of the host contribute, without those whose name one of `taken` has, the
   * command's own options.
   */
  known(taken?: readonly CliOption[]): readonly SessionOption[];
}

/** The service `sharedFiles`: files below `~/.scorel` that several processes change. */
export interface SharedFiles {
  /**
   * Replaces a file's text with what `change` returns (it gets undefined if there is no file), while holding a lock
   * against other processes. The result is synced, readable only by the user, and a symbolic link stays one. Rethrows
   * errors of `change`; throws HOST_FILE_BUSY and HOST_HOME.
   */
  changeFile(path: string, change: (text: string | undefined) => string): Promise<void>;
}

/** The service `directories`: working directories and the projects that they are in. */
export interface Directories {
  /** Returns the real path of a directory; throws HOST_CWD_INVALID. */
  directory(path: string): string;
  /** Returns the git root above a directory, else the directory. */
  rootOf(directory: string): string;
}

declare module "@scorel/kernel" {
  interface Transients {
    /** Parts of the session's status have changed; null stands for one that is absent now. Sent if a client asked with `follow_status`. */
    status_change: { changes: { [K in keyof SessionGlance]?: SessionGlance[K] | null } };
  }
  interface Services {
    host: HostService;
    sessionLogs: SessionLogs;
    sessionOptions: KnownSessionOptions;
    sharedFiles: SharedFiles;
    directories: Directories;
    history: HistoryService;
  }
  interface Contributions {
    /**
     * Operations for clients. Those of a host plugin are always available; those of a session plugin only for params
     * with a `sessionId`. The function is called at the first request, and again when a plugin begins or ceases to contribute
     * operations; `ctx.contribute` adds those that are not known before.
     */
    operations: { [O in Operation]?: OperationHandler<O> };
  }
}
