import type { EventId } from "@scorel/kernel";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";

/** What a client may do in sessions that it can read. */
export interface Rights {
  /** It may open the session, send messages and cancel turns. */
  write: boolean;
  /** It may answer questions, such as whether a command may run. */
  answer: boolean;
  /** It may give answers that hold beyond the session, as only a client for everything may. Older hosts do not say. */
  lasting?: boolean;
  /** The operations that it may call, and with them the answers that do the same. Older hosts do not say. */
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
  /** The same for programs. */
  data?: unknown;
  /** Session that the client should show from now on; may be the same one after a reload. */
  sessionId?: string;
  /** Text to put into the user's input line. It is a command there only if it repeats the one that was run. */
  input?: string;
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
