import type { Invocation } from "@scorel/cli/contract";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";

/** Arguments of `TerminalService.run`. */
export interface TerminalStart {
  invocation: Invocation;
  client: Client;
  /**
   * Opens the session: the one with `sessionId` if the user has chosen one from the list. `plainly` gives the terminal back while its work
   * runs, for questions that are asked line by line. Resolves with undefined when the user has declined to go on.
   */
  open(plainly: <R>(work: () => Promise<R>) => Promise<R>, sessionId?: string): Promise<SessionStatus | undefined>;
  /** Lets the user choose a session from a list first; Esc ends the conversation before it begins. Default: false. */
  choosesSession?: boolean | undefined;
  /** Whether the user may send messages and answer questions. Default: both. */
  rights?: Rights | undefined;
  /** The command line that returns to a session, which is printed at the end. Default: `scorel --session` with its id. */
  comeBack?: ((sessionId: string) => string) | undefined;
  /** Describes what still runs in the background of a session that the user leaves; "" for nothing. */
  atWork?: ((sessionId: string) => Promise<string>) | undefined;
  /** Whether this process has a session open, so that what runs in it ends with this process. Default: it has not. */
  isHere?: ((sessionId: string) => boolean) | undefined;
  /** A message that is sent as soon as the session is open. */
  prompt?: string | undefined;
}

/** The service `terminal`: the full-screen conversation of a person at a terminal. */
export interface TerminalService {
  /** Whether the streams of an invocation are a terminal that can show the full screen. */
  suits(invocation: Pick<Invocation, "stdin" | "stdout" | "env">): boolean;
  /** Runs the conversation until the user leaves. Resolves with the exit code; undefined when `open` resolved with undefined. */
  run(start: TerminalStart): Promise<number | undefined>;
}

declare module "@scorel/kernel" {
  interface Services {
    terminal: TerminalService;
  }
}
