import type { Cut, FilesRestored, Jump, JumpWithFiles, Moved, Page, PageParams } from "@scorel/host/contract";
import type { EventId } from "@scorel/kernel";

export type { FilesRestored, HistoryService, Moved, Undone } from "@scorel/host/contract";

/** The changes that a rewind would make to the files. */
export interface FilesPreview {
  changes: { path: string; kind: string; diff?: string; conflict?: string }[];
  notCovered: { path: string; reason: string }[];
}

/** One event of the tree. */
export interface TreeRow {
  id: EventId;
  /** The preceding path event; null for the first one. */
  parentId: EventId | null;
  seq: number;
  /** Milliseconds since the epoch. */
  ts: number;
  /** The role (`user`, `assistant`), the tool of a result, or else the event's type. */
  label: string;
  /** The start of its text, at most 120 characters. */
  text: string;
  /** True when the conversation can continue from here. */
  point: boolean;
  /** True for events of the current conversation. */
  active: boolean;
  /** Set for side events, such as settings and rewind marks. */
  beside?: true;
}
export interface TreeLeaf {
  id: EventId;
  ts: number;
  text: string;
  active: boolean;
}
/** A page of a session's tree. */
export interface TreePage {
  sessionId: string;
  leafId: EventId | null;
  /** Number of all events in the log. */
  events: number;
  /** Number of id characters that identify an event of this session. */
  idLength: number;
  /** In log order. */
  rows: TreeRow[];
  /** Pass this as `before` to get the preceding rows; absent on the first page. */
  before?: EventId;
  /** Events with several children and events without any: the latest 200, and the latest 200 children of each. The counts include all. */
  branchPoints: { id: EventId; children: EventId[] }[];
  branchPointCount: number;
  leaves: TreeLeaf[];
  leafCount: number;
}

/** The file changes that a move with `files` would make. The move leads to the event `targetEventId`; until then `leafId` is active. */
export type MovePreview = { targetEventId: EventId | null; leafId: EventId | null } & FilesPreview & Page;

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Moves the active leaf back to an event (null for the start); later events stay in the log. With `files`, restores
     * the files first. Throws HISTORY_NO_POINT, HISTORY_CONFLICT, and LOG_BUSY during a turn.
     */
    rewind: {
      params: JumpWithFiles & { targetEventId: EventId | null };
      result: Moved & { files?: FilesRestored };
    };
    /**
     * Returns what a rewind with `files` would change. Throws HISTORY_NO_POINT, and HISTORY_NO_FILES without a plugin
     * for checkpoints.
     */
    preview_rewind: {
      params: { sessionId: string; targetEventId: EventId | null } & PageParams;
      result: MovePreview;
    };
    /** Returns what an undo with `files` would change. Throws HISTORY_NO_UNDO and HISTORY_NO_FILES. */
    preview_undo: { params: { sessionId: string } & PageParams; result: MovePreview };
    /** Returns what a redo with `files` would change. Throws HISTORY_NO_REDO and HISTORY_NO_FILES. */
    preview_redo: { params: { sessionId: string } & PageParams; result: MovePreview };
    /** Moves the active leaf to the end of another branch. Throws HISTORY_NO_LEAF, HISTORY_CONFLICT and LOG_BUSY. */
    branch: { params: Jump & { leafEventId: EventId }; result: Moved };
    /**
     * Reverts the last undo, if nothing was added since. With `files`, restores the files first. Throws HISTORY_NO_REDO, HISTORY_CONFLICT and
     * LOG_BUSY.
     */
    redo: { params: JumpWithFiles; result: Moved & { files?: FilesRestored } };
    /**
     * Returns the latest `limit` rows (default 200, at most 100,000 and about 8 MB) before the event `before`: all path events
     * (`tree`), those of the current conversation (`path`), or all events (`all`). Works while another process writes
     * the session.
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
    /** Moves a session's files to the trash. Throws HOST_SESSION_LOCKED and HOST_SESSION_BUSY. */
    delete_session: { params: { sessionId: string }; result: { sessionId: string; trash: string; text: string } };
    /** Moves a session's files back from the trash. */
    restore_session: { params: { sessionId: string }; result: { sessionId: string; text: string } };
    /** Latest deleted first. */
    list_trash: {
      params: PageParams;
      result: { sessions: { sessionId: string; bytes: number; title: string }[] } & Page;
    };
    /** Deletes sessions in the trash for good (default: all), and then file contents that no session refers to. */
    purge_sessions: {
      params: { sessionIds?: readonly string[] };
      result: {
        sessions: string[];
        bytes: number;
        blobs?: { removed: number; bytes: number; kept: number };
        text: string;
      } & Cut;
    };
  }
}
