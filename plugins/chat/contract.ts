import type { Invocation } from "@scorel/cli/contract";

/** A conversation in lines: reads from the invocation's stdin, answers on its stdout. */
export interface ChatService {
  /** Answers the exit code when the user leaves or the input ends. */
  run(invocation: Invocation): Promise<number>;
}

declare module "@scorel/kernel" {
  interface Services {
    chat: ChatService;
  }
}
