import type { Invocation } from "@scorel/cli/contract";

/** The service `chat`: a line-by-line conversation on the invocation's stdin and stdout. */
export interface ChatService {
  /**
   * Runs the conversation until the user leaves or the input ends; `elsewhere` says that the host may be on another computer. Returns
   * the exit code.
   */
  run(invocation: Invocation, options?: { elsewhere?: boolean }): Promise<number>;
}

declare module "@scorel/kernel" {
  interface Services {
    chat: ChatService;
  }
}
