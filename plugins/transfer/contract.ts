import type {} from "@scorel/host/contract";

/** What a session can be written as: for people (`md`, `html`), or as a log that `import_session` reads (`jsonl`). */
export type ExportFormat = "md" | "html" | "jsonl";
/** Whose session files are read. */
export type ImportFormat = "scorel" | "claude-code" | "codex" | "pi";

/** `meta.imported` in the header of an imported session. */
export interface Imported {
  from: ImportFormat;
  /**
   * Milliseconds since the epoch. No event that came with the import has a later time: what those used was billed
   * elsewhere, and what they say of files is said of others'.
   */
  at: number;
  /** The session's id and directory where it came from; only to be shown. */
  sessionId?: string;
  cwd?: string;
  /** What the exported session was itself a copy of. */
  clonedFrom?: { deviceId: string; sessionId: string; eventId: string };
}

/** A line that could not be read. */
export interface Damage {
  /** 1-based. */
  line: number;
  /** Byte offset of the line's start. */
  offset: number;
  reason: string;
}

/** What came of an import. */
export interface ImportReport {
  sessionId: string;
  format: ImportFormat;
  /** Where the session works. */
  cwd: string;
  /** Where it worked before, as far as the file says. */
  origin?: string;
  events: number;
  messages: number;
  /** Records that nothing here corresponds to, kept as hidden `custom` events: how many of each type. */
  kept: Record<string, number>;
  /** Records that must not count here (queued messages, approvals, instructions of another place), or say twice what is kept: left out. */
  leftOut: Record<string, number>;
  /** The first hundred damaged lines, and how many there are. */
  damaged: Damage[];
  damagedCount: number;
  text: string;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Writes a session, as it stands, into a file of the host's machine (0600; an existing one only with `force`), or answers
     * its text. `md` and `html` show the conversation, `jsonl` is the log: all of it, or with `path` only the conversation.
     * Throws TRANSFER_FILE, TRANSFER_EXISTS and, without `file`, TRANSFER_LONG.
     */
    export_session: {
      params: {
        sessionId: string;
        format: ExportFormat;
        file?: string | undefined;
        force?: boolean | undefined;
        path?: boolean | undefined;
      };
      result: { sessionId: string; bytes: number; file?: string; content?: string };
    };
    /**
     * Makes a new session in `cwd` of a session file: Scorel's own, or one of Claude Code, Codex or pi. Nothing is run, and
     * no file but the new log is written. Throws TRANSFER_FILE, TRANSFER_UNKNOWN and TRANSFER_EMPTY.
     */
    import_session: {
      params: { file: string; cwd: string; format?: ImportFormat | undefined };
      result: ImportReport;
    };
  }
}
