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
     * A line for the shell that a person has typed, and what came of it. `output` ends with how it ended. `silent`: the model is never told of
     * it. `aside`: a turn was running, so the line stands beside the conversation until `shell_told` puts it there.
     */
    shell_line: {
      command: string;
      output: string;
      /** Null if it was killed. */
      exitCode: number | null;
      durationMs: number;
      /** It did not end with exit code 0. */
      failed?: true;
      silent?: true;
      aside?: true;
    };
    /**
     * A shell line begins. `line` is the id of its `shell_line`; without one in the log, the host has ended while the command ran. `hash`
     * identifies the request, for one that is repeated.
     */
    shell_begun: { line: string; command: string; silent?: true; hash?: string };
    /** From here on, the model knows a shell line that stands beside the conversation. `line` is the id of its event. */
    shell_told: { line: string };
  }
  interface Transients {
    /** A shell line begins. `eventId` is the id that its event will have. */
    shell_line_start: { eventId: string; command: string; silent?: true };
    /** The end of its output so far. Each update replaces the previous one. */
    shell_line_update: { eventId: string; partial: unknown };
    /** It has ended. Its event comes before, unless it could not be stored. */
    shell_line_end: { eventId: string };
  }
  interface Projections {
    /** Maps real paths to what the model has seen on this path; a compaction clears it. */
    fileCoverage: Readonly<Record<string, FileCoverage>>;
    /** The model's todo list, as last written. */
    todos: readonly Todo[];
    /** The shell lines that have begun and not ended. */
    openShellLines: readonly { line: string; command: string; silent?: true }[];
    /** Ids of the shell lines beside the conversation that the model was not told of yet. */
    untoldShellLines: readonly string[];
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Runs a line for the shell that a person has typed, with the tool Bash of the session, also during a turn. Returns when it has begun; what
     * comes of it are events. Rules that deny it and guards of plugins refuse it; if the client may answer questions, none is asked. With
     * `silent`, the model is not told of it. Throws AGENT_NO_TOOL, AGENT_CALL_REFUSED, SHELL_MANY.
     */
    run_shell: {
      params: {
        sessionId: string;
        command: string;
        silent?: boolean | undefined;
        messageId?: string | undefined;
      };
      result: {
        /** The id that the event of the line will have. */
        eventId: string;
      };
    };
    /**
     * Ends a running shell line with everything that it started, or all that the client may end: a client that may not answer questions only
     * its own. Returns whether one was running. Throws HOST_FORBIDDEN.
     */
    end_shell: { params: { sessionId: string; eventId?: string | undefined }; result: { ended: boolean } };
  }
}
