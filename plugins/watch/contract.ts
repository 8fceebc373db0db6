import type { Client, SessionStatus } from "@scorel/host/contract";

/** A client that shows one session at a time and stays open. */
export interface WatchedFace {
  client: Client;
  /** Returns the id of the displayed session. */
  sessionId(): string;
  /**
   * Runs `work` when no turn runs, no question is open and no line is being processed. None of these starts while `work` runs.
   */
  between(work: () => Promise<void>): void;
  /** Shows the reloaded session and the reason. */
  reloaded(status: SessionStatus, told: string): Promise<void>;
  /** Shows why the session was not reloaded. */
  kept(told: string): Promise<void>;
}

/** The service `watch`: reloads sessions when their sources change. */
export interface WatchService {
  /**
   * Reloads the displayed session, between turns, whenever its extensions, presets or configuration change, and reports
   * the result. Returns a function that stops watching. Throws WATCH_FOLDER.
   */
  follow(face: WatchedFace): Promise<() => void>;
}

declare module "@scorel/kernel" {
  interface Services {
    watch: WatchService;
  }
}
