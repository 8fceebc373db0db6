import type { Client, SessionStatus } from "@scorel/host/contract";

/** A face that shows one session at a time, and stays open. */
export interface WatchedFace {
  client: Client;
  /** The session that it shows now. */
  sessionId(): string;
  /** Runs `work` once no turn runs, no question waits and no line is being taken; none of them begins meanwhile. */
  between(work: () => Promise<void>): void;
  /** Shows the session, which was opened anew, and says why. */
  reloaded(status: SessionStatus, told: string): Promise<void>;
  /** Says why the session goes on as it was. */
  kept(told: string): Promise<void>;
}

export interface WatchService {
  /**
   * Reloads the session that a face shows when extensions, presets or configuration that it is made of change, between turns,
   * and says what was reloaded or why not. Answers what ends it. Throws WATCH_FOLDER.
   */
  follow(face: WatchedFace): Promise<() => void>;
}

declare module "@scorel/kernel" {
  interface Services {
    watch: WatchService;
  }
}
