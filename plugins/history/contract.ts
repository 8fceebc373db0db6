import type { EventId, Session } from "@scorel/kernel";
import type { SessionMeta, UserMessage } from "@scorel/messages/contract";

/**
 * Events are named by their id or by the beginning of one that no other event of the session has. A client-made
 * `messageId` makes a repeated request harmless: what it did is found in the log by an id made of it, and answered again.
 */
interface Jump {
  sessionId: string;
  /** Refused with HISTORY_CONFLICT unless this is the active leaf when the jump is written; null: the start. */
  expectedLeafId?: EventId | null | undefined;
  messageId?: string | undefined;
}

/** Where a conversation stands after a jump. */
export interface Moved {
  /** The marker in the log. */
  eventId: EventId;
  /** Null: the start, before the first message. */
  fromLeafId: EventId | null;
  leafId: EventId | null;
  /** The same for a person, in one line. */
  text: string;
}
/** What an undo took back: the user's message, so that a face can put its words back where they were typed. */
export interface Undone extends Moved {
  message: { eventId: EventId; text: string; content: UserMessage["content"] };
}
/** What going back would do to the files. */
export interface FilesPreview {
  changes: { path: string; kind: string; diff?: string; conflict?: string }[];
  notCovered: { path: string; reason: string }[];
}
/** What going back did to the files. */
export interface FilesRestored {
  restored: string[];
  skipped: { path: string; reason: string }[];
}

/** One event in one line. */
export interface TreeRow {
  id: EventId;
  /** The path event that it follows, or hangs at. */
  parentId: EventId | null;
  seq: number;
  /** Milliseconds since the epoch. */
  ts: number;
  /** Who speaks (`user`, `assistant`), the tool of a result, else the event's type. */
  label: string;
  /** Its beginning, at most 120 characters. */
  text: string;
  /** The conversation can go on from here. */
  point: boolean;
  /** It is part of the conversation as it stands. */
  active: boolean;
  /** It hangs beside the conversation: settings, marks of going back. */
  beside?: true;
}
export interface TreeLeaf {
  id: EventId;
  ts: number;
  text: string;
  active: boolean;
}
/** A session's tree, as much of it as was asked for. */
export interface TreePage {
  sessionId: string;
  leafId: EventId | null;
  /** How many events the log holds, of every kind. */
  events: number;
  /** So many characters of an id are enough to name an event of this session. */
  idLength: number;
  /** In the order in which they happened. */
  rows: TreeRow[];
  /** Asking with this `before` answers the rows that come before these; absent when these are the first. */
  before?: EventId;
  /** Events with more than one child, and those without any; the latest 200. Counts are of all. */
  branchPoints: { id: EventId; children: EventId[] }[];
  branchPointCount: number;
  leaves: TreeLeaf[];
  leafCount: number;
}

/** Which events can be gone back to. */
export interface HistoryService {
  /** The whole id of a point that begins so; throws HISTORY_EVENT_UNKNOWN, HISTORY_AMBIGUOUS and HISTORY_NO_POINT. */
  point(session: Pick<Session, "id" | "tree">, eventId: EventId): Promise<EventId>;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * The conversation goes on from an earlier event (null: its start); what came after stays in the log. With `files` the
     * files are restored first. Throws HISTORY_NO_POINT, HISTORY_CONFLICT, and LOG_BUSY while a turn runs.
     */
    rewind: {
      params: Jump & { targetEventId: EventId | null; files?: boolean | undefined; overwrite?: boolean | undefined };
      result: Moved & { files?: FilesRestored };
    };
    /** What a rewind with `files` would do to the files. Throws HISTORY_NO_POINT, and HISTORY_NO_FILES when no plugin keeps checkpoints. */
    preview_rewind: {
      params: { sessionId: string; targetEventId: EventId | null };
      result: { targetEventId: EventId | null; leafId: EventId | null } & FilesPreview;
    };
    /** The conversation goes on at another leaf of the tree. Throws HISTORY_NO_LEAF, HISTORY_CONFLICT and LOG_BUSY. */
    branch: { params: Jump & { leafEventId: EventId }; result: Moved };
    /** Goes back to before the last user message. Throws HISTORY_NO_UNDO, HISTORY_CONFLICT and LOG_BUSY. */
    undo: { params: Jump; result: Undone };
    /** Goes where the last undo came from, as long as nothing was said since. Throws HISTORY_NO_REDO, HISTORY_CONFLICT and LOG_BUSY. */
    redo: { params: Jump; result: Moved };
    /**
     * Rows of a session's tree, the latest `limit` (200; at most 100,000) before the event `before`: of all path events, of those
     * of the conversation as it stands (`path`), or of everything (`all`). Also for a session that another process writes.
     */
    get_tree: {
      params: {
        sessionId: string;
        show?: "tree" | "path" | "all" | undefined;
        limit?: number | undefined;
        before?: EventId | undefined;
      };
      result: TreePage;
    };
    /** Changes the session's name, model or level of thinking. Throws HISTORY_NO_CHANGE, and MODEL errors for a model that cannot be used. */
    update_info: {
      params: {
        sessionId: string;
        changes: { name?: string | undefined; model?: string | undefined; thinkingLevel?: string | undefined };
        messageId?: string | undefined;
      };
      result: { eventId: EventId; meta: SessionMeta; text: string };
    };
    rename_session: {
      params: { sessionId: string; name: string; messageId?: string | undefined };
      result: { eventId: EventId; meta: SessionMeta; text: string };
    };
    /** Moves a session's files to the trash. Throws HOST_SESSION_LOCKED and HOST_SESSION_BUSY. */
    delete_session: { params: { sessionId: string }; result: { sessionId: string; trash: string; text: string } };
    /** Takes a session's files out of the trash again. */
    restore_session: { params: { sessionId: string }; result: { sessionId: string; text: string } };
    list_trash: {
      params: Record<string, never>;
      result: { sessions: { sessionId: string; bytes: number; title: string }[] };
    };
    /** Deletes what is in the trash for good, and then the file contents that no session refers to. */
    purge_sessions: {
      params: Record<string, never>;
      result: { sessions: string[]; bytes: number; blobs?: { removed: number; bytes: number }; text: string };
    };
  }
}

declare module "@scorel/kernel" {
  interface Services {
    history: HistoryService;
  }
}
