import type { Invocation } from "@scorel/cli/contract";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";

/** What a conversation in the terminal begins with. */
export interface TerminalStart {
  invocation: Invocation;
  client: Client;
  /**
   * Opens the session, or the one with this id. `plainly` gives the terminal back while it runs, for questions that are asked line by line.
   * Returns undefined when the person has declined to go on.
   */
  open(plainly: <R>(work: () => Promise<R>) => Promise<R>, sessionId?: string): Promise<SessionStatus | undefined>;
  /** The person chooses a session from a list first. */
  choosesSession?: boolean | undefined;
  /** Whether the user may send messages and answer questions. Default: both. */
  rights?: Rights | undefined;
  /** The command that comes back to a session. Default: `scorel --session` with its id. */
  comeBack?: ((sessionId: string) => string) | undefined;
  /** What still goes on in the background of a session that the person leaves, in words; empty for nothing. */
  atWork?: ((sessionId: string) => Promise<string>) | undefined;
  /** A message that is sent at once. */
  prompt?: string | undefined;
}

/** The service `terminal`: the full-screen conversation of a person at a terminal. */
export interface TerminalService {
  /** Whether these streams are a terminal that it can be shown on. */
  suits(invocation: Pick<Invocation, "stdin" | "stdout" | "env">): boolean;
  /** Runs the conversation until the person leaves. Returns the exit code; undefined when no session was opened. */
  run(start: TerminalStart): Promise<number | undefined>;
}

declare module "@scorel/kernel" {
  interface Services {
    terminal: TerminalService;
  }
}
