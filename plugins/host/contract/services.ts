import type { CliOption } from "@scorel/cli/contract";
import type { EventId, Session } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import type { SessionOption } from "@scorel/workspace/contract";
import type { Client, ConnectOptions } from "./client.ts";

/** The service `history`: finds the events from which a conversation can continue. */
export interface HistoryService {
  /** Completes the id of a point. Throws HISTORY_EVENT_UNKNOWN, HISTORY_AMBIGUOUS and HISTORY_NO_POINT. */
  point(session: Pick<Session, "id" | "tree">, eventId: EventId): Promise<EventId>;
}

/**
 * The service `host`, for transports and clients. Commands that only need operations work with any host, so a plugin can wrap this
 * service and connect to a remote host.
 */
export interface HostService {
  /** Connects a client. The options define its identity and rights; no operation takes them from its params. */
  connect(options?: ConnectOptions): Client;
}

/** The service `sessionLogs`: the logs of this computer's sessions. */
export interface SessionLogs {
  /** Directory of the session logs. */
  readonly sessionsDir: string;
  /** Opens, lists and checks the logs in `sessionsDir`. */
  readonly logs: Logs;
  /** The path of a session's lock file, which names the process that has it open for writing. */
  lockFile(sessionId: string): string;
  /** Ids of the sessions that have a lock file, which a killed process may have left. */
  locked(): string[];
}

/** The service `sessionOptions`: the options that a session can be opened with. */
export interface KnownSessionOptions {
  /**
   * Returns Scorel's options and those that host plugins contribute, except for those whose names are in `taken`, the command's own
   * options.
   */
  known(taken?: readonly CliOption[]): readonly SessionOption[];
}

/** The service `sharedFiles`: files below `~/.scorel` that several processes change. */
export interface SharedFiles {
  /**
   * Replaces a file's text with what `change` returns, while holding a lock against other processes. `change` receives the current text,
   * or undefined if the file does not exist. The result is synced to disk and readable only by the user. A symbolic link is kept, and its
   * target replaced. Rethrows errors of `change`; throws HOST_FILE_BUSY and HOST_HOME.
   */
  changeFile(path: string, change: (text: string | undefined) => string): Promise<void>;
}

/** The service `directories`: working directories and their projects. */
export interface Directories {
  /** Returns the real path of a directory; throws HOST_CWD_INVALID. */
  directory(path: string): string;
  /** Returns the git root above a directory, else the directory. */
  rootOf(directory: string): string;
}
