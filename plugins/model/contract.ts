import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";

/** The model in use and the way to it. */
export interface ModelService {
  /** The resolved model; throws MODEL_NONE or another coded error that says how to set one. */
  current(): Model<Api>;
  /**
   * One request. Never throws: every failure is an `error` event. Retries are off below this call;
   * the api key is resolved here and goes only to the model's own host.
   */
  stream(
    context: Context,
    options: SimpleStreamOptions,
  ): AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
}

/** Keeps keys out of everything that leaves the process or reaches the disk. */
export interface SecretsService {
  /** The environment for child processes: without any variable that holds a key. */
  childEnv(): Record<string, string>;
  /** Replaces every known secret value in a text. */
  redact(text: string): string;
  /** The same for text that arrives in pieces: holds back what could be the start of a secret. */
  redactor(): { write(chunk: string): string; end(): string };
}

declare module "@scorel/kernel" {
  interface Services {
    model: ModelService;
    secrets: SecretsService;
  }
}
