import type { EventId } from "@scorel/kernel";
import type { ImageBlock, SessionMeta, UserMessage } from "@scorel/messages/contract";

/** What a client may do in sessions that it can read. */
export interface Rights {
  /** The client may open the session, send messages and cancel turns. */
  write: boolean;
  /** The client may answer questions, such as whether a command may run. */
  answer: boolean;
  /** The client may give answers that apply beyond the session, as only clients without limits may. Absent from older hosts. */
  lasting?: boolean;
  /** The operations that the client may call; it may also give answers that need them. Absent from older hosts. */
  operations?: "all" | readonly string[];
}

/** Result of a change of a session's name, model or thinking level. */
export interface InfoChanged {
  /** Event that records the change. */
  eventId: EventId;
  meta: SessionMeta;
  /** The change in one line, for display: "Model: test/m". */
  text: string;
}

/** The open questions and status texts of a session. The plugin `requests` adds the fields. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface RequestsNow {}

/** Result of a command. A plain string is short for `{ output }`. */
export interface CommandResult {
  /** Text for people. */
  output?: string;
  /** The result for programs. */
  data?: unknown;
  /** The session that the client should show from now on. Can be the same one after a reload. */
  sessionId?: string;
  /** The session options with which the command has opened that session. After a restart of the host, the client opens it again with them. */
  options?: Record<string, unknown>;
  /** Text to put into the user's input line. Clients treat it as a command only if it repeats the one that was run. */
  input?: string;
  /** Pictures of the message in `input`. */
  pictures?: ImageBlock[];
  /** Text for the clipboard. Clients copy it only for `/copy`. */
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
 * Parameters of all moves. An event is named by its id, or an unambiguous beginning of it. A repeated request with the same `messageId`
 * has no further effect and returns the earlier result, which is found in the log by an id derived from the `messageId`.
 */
export interface Jump {
  sessionId: string;
  /** Throws HISTORY_CONFLICT unless this is the active leaf when the move is written; null for the start. */
  expectedLeafId?: EventId | null | undefined;
  messageId?: string | undefined;
}

/** A move that can restore the files, too. */
export interface JumpWithFiles extends Jump {
  /** Restores the files first, as they were at the event that the move leads to. */
  files?: boolean | undefined;
  /** With `files`: also those that were changed outside the session since. */
  overwrite?: boolean | undefined;
}

/** The changes that a move made to the files. */
export interface FilesRestored {
  restored: string[];
  skipped: { path: string; reason: string }[];
  /** The number of further files, which were left out of a very long answer. */
  leftOut?: number;
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
  /** With `files`. */
  files?: FilesRestored;
}
