import type { Invocation } from "@scorel/cli/contract";

/** The service `chat`: a line-by-line conversation on the invocation's stdin and stdout. */
export interface ChatService {
  /**
   * Runs the conversation until the user leaves or the input ends. Returns the exit code.
   */
  run(invocation: Invocation, options?: ChatPlace): Promise<number>;
}

/** Where the host of a conversation is. */
export interface ChatPlace {
  /** It may be on another computer: the project of the invocation is not the one of the session. */
  elsewhere?: boolean;
  /** The command that comes back to a session. Default: `scorel --session` with its id. */
  comeBack?: ((sessionId: string) => string) | undefined;
}

declare module "@scorel/kernel" {
  interface Services {
    chat: ChatService;
  }
}
