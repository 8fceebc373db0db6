import type {} from "@scorel/host/contract";

/** Export formats: `md` and `html` are for reading; `jsonl` is a log that `import_session` can read. */
export type ExportFormat = "md" | "html" | "jsonl";
/** Programs whose session files can be imported. */
export type ImportFormat = "scorel" | "claude-code" | "codex" | "pi";

/** `meta.imported` in the header of an imported session. */
export interface Imported {
  from: ImportFormat;
  /**
   * Time of the import in milliseconds since the epoch. No imported event is later, so other code can tell that the
   * usage of these events was billed elsewhere and that their file contents come from another place.
   */
  at: number;
  /** Id and directory of the original session, for display only. */
  sessionId?: string;
  cwd?: string;
  /** The session that the original was itself a copy of. */
  clonedFrom?: { deviceId: string; sessionId: string; eventId: string };
}

/** A line that could not be read. */
export interface Damage {
  /** Line number, from 1. */
  line: number;
  /** Byte offset of the line's start. */
  offset: number;
  reason: string;
}

/** Result of an import. */
export interface ImportReport {
  sessionId: string;
  format: ImportFormat;
  /** Working directory of the new session. */
  cwd: string;
  /** Working directory of the original, if the file names it. */
  origin?: string;
  events: number;
  messages: number;
  /** Records without an equivalent here, kept as hidden `custom` events: count by type. */
  kept: Record<string, number>;
  /**
   * Records left out: count by type. These have no meaning here (queued messages, approvals, instructions of another
   * place) or repeat another record.
   */
  leftOut: Record<string, number>;
  /** The first hundred damaged lines; `damagedCount` counts all. */
  damaged: Damage[];
  damagedCount: number;
  text: string;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Exports a session to a file on the host's machine (mode 0600; an existing file only with `force`), or returns the
     * text. `md` and `html` contain the conversation; `jsonl` the whole log, or with `path` only the conversation.
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
     * Creates a session in `cwd` from a session file of Scorel, Claude Code, Codex or pi. Runs nothing and writes only
     * the new log. Throws TRANSFER_FILE, TRANSFER_UNKNOWN and TRANSFER_EMPTY.
     */
    import_session: {
      params: { file: string; cwd: string; format?: ImportFormat | undefined };
      result: ImportReport;
    };
  }
}
