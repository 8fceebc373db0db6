import type { Invocation } from "@scorel/cli/contract";

/** The service `chat`: a line-by-line conversation on the invocation's stdin and stdout. */
export interface ChatService {
  /**
   * Runs the conversation until the user leaves or the input ends. Returns the exit code.
   */
  run(invocation: Invocation, options?: ChatPlace): Promise<number>;
}

/** Options of `ChatService.run` about the host of the conversation. */
export interface ChatPlace {
  /** Whether the host may be on another computer, so that the invocation's directory is not the session's project. Default: false. */
  elsewhere?: boolean;
  /**
   * The command line that returns to a session, which is printed at the end. Default: `scorel --session` with its id, and with the preset
   * that was named.
   */
  comeBack?: ((sessionId: string) => string) | undefined;
}

declare module "@scorel/kernel" {
  interface Services {
    chat: ChatService;
  }
}
