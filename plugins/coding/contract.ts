/** A range of bytes; the end is exclusive. */
export type ByteRange = readonly [from: number, to: number];

/** The bytes that the model has seen, of one version of a file. */
export interface FileCoverage {
  /** The sha256 of the file's bytes, in hex. */
  version: string;
  /** Ascending and disjoint. */
  ranges: readonly ByteRange[];
}
/** `details.file` in the result of Read, Edit or Write: the file after the call. */
export interface FileDetails extends FileCoverage {
  /** The real path; bytes that are not UTF-8 are written as `\xHH`. */
  path: string;
}

export interface Todo {
  content: string;
  status: "pending" | "in_progress" | "completed";
}

declare module "@scorel/kernel" {
  interface Events {
    /**
     * A shell line that a person typed, and its result. The last line of `output` says how the command ended. With
     * `silent`, the model never gets the line. With `aside`, a turn was running, so this is a side event until
     * `shell_told` adds the line to the conversation.
     */
    shell_line: {
      command: string;
      output: string;
      /** Null if the command was killed. */
      exitCode: number | null;
      durationMs: number;
      /** Set when the command did not end with exit code 0. */
      failed?: true;
      silent?: true;
      aside?: true;
    };
    /**
     * A shell line starts. `line` is the id of its `shell_line` event; if the log has no such event, the host ended
     * while the command ran. `hash` identifies the request, so that a repeated one is recognised.
     */
    shell_begun: { line: string; command: string; silent?: true; hash?: string };
    /**
     * From this event on, the model has a shell line that was stored as a side event. `line` is the id of that event.
     */
    shell_told: { line: string };
  }
  interface Transients {
    /** A shell line starts. `eventId` is the id that its event will have. */
    shell_line_start: { eventId: string; command: string; silent?: true };
    /** The last part of the command's output so far. Each update replaces the previous one. */
    shell_line_update: { eventId: string; partial: unknown };
    /** A shell line has ended. Its event comes before this, unless it could not be stored. */
    shell_line_end: { eventId: string };
  }
  interface Projections {
    /** Maps real paths to what the model has seen on this path; a compaction clears it. */
    fileCoverage: Readonly<Record<string, FileCoverage>>;
    /** The model's todo list, as last written. */
    todos: readonly Todo[];
    /** Background commands that the model believes are running, by id, with the ids of the events that started them. */
    backgroundCommands: Readonly<Record<string, { command: string; eventId: string }>>;
    /** Shell lines whose commands are still running. */
    openShellLines: readonly { line: string; command: string; silent?: true }[];
    /** Ids of shell lines that were stored as side events and that the model does not have yet. */
    untoldShellLines: readonly string[];
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Runs a shell line that a person typed, with the session's tool Bash; also works during a turn. Returns when the
     * command has started; its output and end are reported as events. The line is refused by deny rules and by guards
     * of plugins. If the client may answer questions, no question is asked about it. With `silent`, the model does not
     * get the line. Throws AGENT_NO_TOOL, AGENT_CALL_REFUSED, SHELL_MANY.
     */
    run_shell: {
      params: {
        sessionId: string;
        command: string;
        silent?: boolean | undefined;
        messageId?: string | undefined;
      };
      result: {
        /** The id that the line's `shell_line` event will have. */
        eventId: string;
      };
    };
    /**
     * Kills a running shell line and everything that it started; without `eventId`, all lines that the client may end.
     * A client that may not answer questions can end only its own lines. Returns whether a line was running. Throws
     * HOST_FORBIDDEN.
     */
    end_shell: { params: { sessionId: string; eventId?: string | undefined }; result: { ended: boolean } };
  }
}
