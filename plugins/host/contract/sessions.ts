import type { QueueItem } from "@scorel/agent/contract";
import type { EventId } from "@scorel/kernel";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";
import type { Notice } from "@scorel/workspace/contract";
import type { Anchor } from "./events.ts";

export type QuestionKind = "select" | "confirm" | "input";

/** A session as a row of a list. Times are in milliseconds since the epoch. */
export interface SessionSummary {
  sessionId: string;
  name?: string;
  /** Current working directory. */
  cwd: string;
  /** Id of the project that the session was created in. */
  projectId?: string;
  createdAt: number;
  updatedAt: number;
  /** Number of user and assistant messages. Absent for a large log that would have to be read completely. */
  messages?: number;
  /** The first user message, shortened. */
  title: string;
  path: string;
  problem?: string;
  /** The session that this one belongs to. Such sessions are only listed on request. */
  parent?: SessionParent;
  /** The kind of session, such as `subagent`. */
  kind?: string;
  /** The preset that was named when the session was created. */
  preset?: string;
  /** Set if the session began as a copy: of another session (`clone`), or of a file (`import`). */
  copied?: "clone" | "import";
  /** Set if the session was archived and no user's message was added since. */
  archived?: true;
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
 * - `created`, `opened`, `closed`: the session was created, opened or closed. `renamed`: it has a new name or title.
 * - `archived`: it was archived, or taken back from the archive.
 * - `running`, `idle`: a turn has started or ended. `waiting`: a turn has to wait for turns of other sessions.
 * - `asking`, `answered`: a question was asked, or is not open any more.
 * - `restored`: it is back from the trash. `deleted`: it is not in the list any more; the row is its last state.
 * - `missed`: the listener was too slow, and changes were dropped. Call `list_sessions` again.
 */
export type SessionChange =
  | {
      change:
        | ("created" | "opened" | "closed" | "deleted" | "restored" | "renamed" | "archived")
        | ("running" | "waiting" | "idle" | "asking" | "answered");
      session: SessionSummary;
    }
  | { change: "missed" };
/** The session that a session belongs to, and the tool call that it was created for. */
export interface SessionParent {
  sessionId: string;
  toolCallId?: string;
}

/** Why a session is created, and on whose behalf. Stored in the session's header; it never changes. */
export interface Relation {
  /** Name of a preset, found and trusted as for `--preset`. Default: the parent's preset, or that of the host's process. */
  preset?: string;
  /**
   * An open session that the new one belongs to. The new session may do at most what its parent may, also when it is reopened later.
   */
  parent?: SessionParent;
  /** The kind of session: a short word such as `subagent`. */
  kind?: string;
  /** Data of plugins as plain JSON, by plugin id; up to 64 KB. */
  data?: Record<string, unknown>;
}

/** A model that a session can use. */
export interface ModelRow {
  provider: string;
  id: string;
  /** Maximum tokens of a request together with its reply (`contextWindow`), and of a reply (`maxTokens`). */
  contextWindow: number;
  maxTokens: number;
  /** US dollars per million tokens; absent if the prices are not known. */
  cost?: { input: number; output: number } | undefined;
  /** Whether the model can read images. */
  images: boolean;
  /** Whether the model can think before it answers. */
  thinks: boolean;
  /** Whether there is a key or a subscription for the model, or it needs none. */
  ready: boolean;
  /** Set if the model is described in `[model]` or `[models.<alias>]`. */
  configured?: true | undefined;
  /** Set if the session's next request uses the model. */
  current?: true | undefined;
}

/**
 * The part of a session's status that clients show all the time. A field is absent while it is not known. `follow_status` subscribes to
 * changes, which are announced as `status_change`.
 */
export interface SessionGlance {
  /** `provider/id` of the model for the next turn; absent when there is none. */
  model?: string;
  /** If no model is configured, why this one was chosen: the name of a variable with a key, `stored key` or `subscription`. */
  modelFoundBy?: string;
  /** Why no model can be used. */
  modelError?: { code: string; message: string };
  /** How hard the model thinks, if it does. */
  thinking?: ThinkingLevel;
  /** False if the model does not think, so that the level has no effect. */
  thinks?: false;
  /** The permission mode in force, and the one that applies when none is chosen in the session. */
  permission?: string;
  permissionDefault?: string;
  /** Tokens of the next request: the number that the last reply reported, plus an estimate of what was added since. */
  context?: {
    tokens: number;
    /** The model's context window in tokens, and the used share of it from 0 to 1 (more if the conversation is too long). */
    window?: number;
    share?: number;
  };
  /** The usage of the whole session so far, on all branches. Absent before the first reply. */
  spent?: {
    /** Tokens that were sent without a cache, received, read from a cache and written to it. */
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    /** The share of the sent tokens that came from a cache, from 0 to 1; absent if none were sent. */
    cachedShare?: number;
    /** US dollars; absent if the price of one of the used models is not known. */
    cost?: number;
  };
  /** The checked-out git branch of the session's directory, or the beginning of the commit's id. */
  branch?: string;
}

/** The present activity of the running turn. Times are in milliseconds since 1970, by the host's clock. */
export type Doing =
  /** The turn waits, because as many turns of other sessions run as `[host] concurrentTurns` allows. */
  | { state: "waiting"; since: number }

  /** A question is waiting for an answer; `text` is the title of the first open one. */
  | { state: "asking"; text: string }
  /** The model is called again at `until`, after an error. */
  | { state: "retrying"; until: number; attempt: number; of: number; reason: string }
  /** The conversation is being summarized. */
  | { state: "compacting"; since: number }
  /** A tool runs; `text` describes the call in one line. `calls` is the number of running calls, of which this one began first. */
  | { state: "tool"; since: number; tool: string; text: string; calls: number }
  /** The model was called, and no text of its answer has arrived yet. */
  | { state: "thinking"; since: number }
  /** The answer is arriving. */
  | { state: "answering"; since: number };

/** The status of an open session. */
export interface SessionStatus extends SessionGlance {
  sessionId: string;
  running: boolean;
  /** The running turn has not begun yet, because as many turns of other sessions run as `[host] concurrentTurns` allows. */
  turn?: "waiting";
  /** The kinds of the open questions, in the order in which they were asked; absent when there are none. */
  questions?: QuestionKind[];
  leafId: EventId | null;
  meta: SessionMeta;
  anchor: Anchor;
  /** Damage that was found when the log was opened. */
  problems: { line: number; offset: number; reason: string }[];
  /** Problems at the opening of the session, such as plugins that were left out, and failures since then. */
  notices: Notice[];
  /** Number of clients that have the session open; absent if it is 1. */
  clients?: number;
  /** Clients with a name that follow the session or have sent something; absent if only one client has the session open. */
  present?: { clientId: string; name: string }[];
  /** Number of queued messages; absent when there are none. They are sent with the next turn or by `run_queue`. */
  waiting?: number;
  /** The present activity of the running turn; absent when none runs. */
  doing?: Doing;
}

/** How hard a model thinks before it answers. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

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
  /** File with the text of a reply that a killed process was receiving. The next opening turns it into a message. */
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
  /** The `messageId` that it was sent with. */
  messageId?: string;
}
