import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";

/** The model in use and the way to it. */
export interface ModelService {
  /** The resolved model; throws MODEL_NONE or another coded error that says how to set one. `idleTimeout` in seconds. */
  current(): Model<Api> & { idleTimeout?: number };
  /**
   * One request. Never throws: every failure is an `error` event, whose message may bear a `failure`
   * (RequestFailure) that is no part of the conversation. Retries are off below this call;
   * the api key is resolved here and goes only to the model's own host.
   */
  stream(
    context: Context,
    options: SimpleStreamOptions,
  ): AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
}

/** What the server answered to a request that failed, as far as it answered: `failure` on the message of an `error` event. */
export interface RequestFailure {
  /** The HTTP status, when it refused. */
  status?: number;
  /** Milliseconds it asks to wait before the next request. */
  retryAfterMs?: number;
  /** Why it was not reached at all: the system's word, such as ECONNREFUSED. */
  unreached?: string;
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
