declare module "@scorel/kernel" {
  interface Services {
    prompt: PromptService;
  }
}

export interface PromptService {
  /** The system prompt, byte-stable for the session. */
  system(): string;
}
