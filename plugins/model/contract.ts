import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";
import type { ModelConfig } from "./config.ts";

/** Options of one request. */
export interface StreamOptions extends SimpleStreamOptions {
  /** Asked while the reply arrives: true if deltas that arrive together may be merged. Default: false. */
  mayJoin?(): boolean;
}

/** A model that can be called. */
export interface UsableModel {
  /**
   * Returns the resolved model; throws MODEL_NONE or another error that says how to configure one. `idleTimeout` is in
   * seconds.
   */
  current(): Model<Api> & { idleTimeout?: number };
  /**
   * Makes one request. Never throws: failures are `error` events, whose message may carry a `failure` (RequestFailure)
   * that is not part of the conversation. There are no retries below this call. The API key is read now and sent only
   * to the model's own host.
   */
  stream(context: Context, options: StreamOptions): AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
}

/** The service `model`: the session's model. */
export interface ModelService extends UsableModel {
  /**
   * Returns the model of the table `[models.<alias>]`, for example "summary" or "title", or the session's model without
   * such a table.
   */
  named(alias: string): Promise<UsableModel>;
  /** Switches to `provider/id` for the next requests. Throws MODEL_ errors and then keeps the present model. */
  choose(name: string): Promise<void>;
}

/** The service `modelTables`: the tables `[models.<alias>]`, each like `[model]`. */
export interface ModelTablesService {
  readonly tables: Readonly<Record<string, ModelConfig>>;
}

/** A model that can be chosen by name. */
export interface ListedModel {
  provider: string;
  id: string;
  /** Context window and maximum reply, in tokens. */
  contextWindow: number;
  maxTokens: number;
  /** US dollars per million tokens. */
  cost: { input: number; output: number };
  images: boolean;
  thinks: boolean;
  /** True when there is a key or subscription for its provider. */
  ready: boolean;
  /** Where the key comes from: a variable's name, `stored key` or `subscription`. */
  credential?: string;
}

/** A model that a server on this machine is running. */
export interface LocalModel {
  provider: string;
  id: string;
  /** Name of the server program, for example "Ollama". */
  server: string;
  baseUrl: string;
  contextWindow: number;
  /** Source of `contextWindow`: the `loaded` model, its `setting`, or `assumed` because the server does not say. */
  windowFrom?: "loaded" | "setting" | "assumed";
}

/** Result of one small test request. */
export interface ModelCheck {
  /** `provider/id`, its api, and the host that was called. */
  model: string;
  api: string;
  host: string;
  /** Where the key came from: a variable's name, `stored key`, `subscription` or `no key`. */
  credential: string;
  /** Context window of a local model in tokens, and how it is known. */
  window?: Pick<LocalModel, "contextWindow" | "windowFrom">;
  ms: number;
  /** Why the request failed, and what may help. */
  problem?: string;
  advice?: string;
}

/**
 * A step in reaching a server: DNS lookup, TCP connection, TLS and HTTP response. With a proxy, the first ones concern
 * the proxy.
 */
export type ReachStep = "name" | "connection" | "encryption" | "answer";

/** How far a model's server can be reached, tested without the key and without configured headers. */
export interface ModelReach {
  /** `provider/id`, its api, and the host. The demonstration model has no host. */
  model: string;
  api: string;
  host?: string;
  /** Where the key comes from: a variable's name, `stored key`, `subscription` or `no key`. */
  credential?: string;
  /** Why no key can be used. */
  keyProblem?: { code: string; message: string };
  /** The proxy that the environment sets for this host. */
  proxy?: string;
  /** Successful steps, with their duration in milliseconds. */
  steps: readonly { step: ReachStep; ms: number }[];
  /** HTTP status of the server's answer. */
  status?: number;
  /** The failed step, the reason and what may help. `late` means that it only took too long. */
  failed?: { step: ReachStep; reason: string; advice: string; late: boolean };
}

/** How to log in: with an API key, or with a subscription at the provider's site. */
export type LoginWay = "key" | "subscription";

/** Dialog with the person who logs in at a provider's site. */
export interface SignInDialog {
  /** Shows an address to open in a browser on any machine, with instructions. */
  show(address: string, instructions?: string): void;
  /** Asks for a line, typed or pasted. If nobody can answer: returns "" when that is allowed, else never resolves. */
  ask(question: string, mayBeEmpty: boolean): Promise<string>;
  /** Shows a progress message. */
  tell(progress: string): void;
  /** Cancels the login. */
  signal: AbortSignal;
}

/** The service `modelAdmin`: list and test models, and manage keys. All methods throw MODEL_ errors. */
export interface ModelAdminService {
  /** Lists models of known providers whose `provider/id` contains every word of the filter. */
  list(filter?: string): Promise<ListedModel[]>;
  /** Sends one small request to the session's model. Throws when there is no model or no key. */
  check(signal?: AbortSignal): Promise<ModelCheck>;
  /**
   * Tests how far the session's model can be reached within `limit` milliseconds; 0 makes no connection. Throws when no
   * model is chosen or it does not exist.
   */
  reach(limit: number): Promise<ModelReach>;
  /** Lists the models of servers on this machine, asking at their usual ports with a short timeout. */
  local(): Promise<LocalModel[]>;
  /** Stores a provider's API key. Returns the file, and the variable with another key that takes precedence. */
  login(provider: string, key: string): Promise<{ path: string; shadowedBy?: string }>;
  /** Lets a person log in at a provider's site and stores the tokens. Returns the same as `login`. */
  signIn(provider: string, dialog: SignInDialog): Promise<{ path: string; shadowedBy?: string }>;
  /** Removes a provider's stored key or subscription. Returns whether there was one. */
  logout(provider: string): Promise<boolean>;
  /** Returns the ways to log in to a provider; throws MODEL_UNKNOWN_PROVIDER. */
  waysIn(provider: string): Promise<readonly LoginWay[]>;
}

/** What is known about a failed request: property `failure` of the message of an `error` event. */
export interface RequestFailure {
  /** HTTP status of the refusal. */
  status?: number;
  /** Milliseconds that the server asks to wait. */
  retryAfterMs?: number;
  /** System error code when the server was not reached, for example ECONNREFUSED. */
  unreached?: string;
  /** What to do about a refused key. */
  advice?: string;
}

/** The service `secrets`: keeps keys out of logs, requests and child processes. */
export interface SecretsService {
  /** Returns the environment for child processes, without variables that hold a key. */
  childEnv(): Record<string, string>;
  /** Replaces every known secret in a text. */
  redact(text: string): string;
  /** Redacts streamed text. Holds back the end of a chunk that could be the start of a secret. */
  redactor(): { write(chunk: string): string; end(): string };
  /** Returns the byte ranges of secrets in UTF-8 text, ascending and not overlapping. */
  spans(bytes: Buffer): readonly (readonly [from: number, to: number])[];
}

declare module "@scorel/kernel" {
  interface Services {
    model: ModelService;
    modelAdmin: ModelAdminService;
    modelTables: ModelTablesService;
    secrets: SecretsService;
  }
}

declare module "@scorel/workspace/contract" {
  interface SessionOptions {
    /** `provider/id` */
    model?: string | undefined;
  }
}
