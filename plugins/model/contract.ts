import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";
import type { ModelConfig } from "./config.ts";

/** What goes with one request. */
export interface StreamOptions extends SimpleStreamOptions {
  /** Asked as the reply arrives: whether deltas that arrive together may come as one. Default: each comes by itself. */
  mayJoin?(): boolean;
}

/** A model and the way to it. */
export interface UsableModel {
  /** The resolved model; throws MODEL_NONE or another coded error that says how to set one. `idleTimeout` in seconds. */
  current(): Model<Api> & { idleTimeout?: number };
  /**
   * One request. Never throws: every failure is an `error` event, whose message may bear a `failure`
   * (RequestFailure) that is no part of the conversation. Retries are off below this call;
   * the api key is resolved here and goes only to the model's own host.
   */
  stream(context: Context, options: StreamOptions): AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
}

/** The model in use and the way to it. */
export interface ModelService extends UsableModel {
  /** The model of the table `[models.<alias>]`, as "summary" or "title"; the model in use when there is no such table. */
  named(alias: string): Promise<UsableModel>;
  /** Takes `provider/id` as the model in use from the next request on; throws MODEL_ errors, and then nothing changes. */
  choose(name: string): Promise<void>;
}

/** The tables `[models.<alias>]`; each is like `[model]`. */
export interface ModelTablesService {
  readonly tables: Readonly<Record<string, ModelConfig>>;
}

/** A model that can be chosen by name. */
export interface ListedModel {
  provider: string;
  id: string;
  /** Tokens a request and its reply may hold together, and a reply alone. */
  contextWindow: number;
  maxTokens: number;
  /** US dollars per million tokens. */
  cost: { input: number; output: number };
  images: boolean;
  thinks: boolean;
  /** A key or a subscription for its provider is there. */
  ready: boolean;
  /** Where that comes from: the name of a variable, `stored key` or `subscription`. */
  credential?: string;
}

/** A model that a server on this machine runs now. */
export interface LocalModel {
  provider: string;
  id: string;
  /** The kind of server: "Ollama". */
  server: string;
  baseUrl: string;
  contextWindow: number;
  /** The window as the model is `loaded`, as its own `setting` says, or `assumed`, since the server does not tell. */
  windowFrom?: "loaded" | "setting" | "assumed";
}

/** What one small request came to. */
export interface ModelCheck {
  /** `provider/id`, its api, and the host that was asked. */
  model: string;
  api: string;
  host: string;
  /** Where the key came from: the name of a variable, `stored key`, `subscription`, or `no key`. */
  credential: string;
  /** A model's of a server on this machine, in tokens, and how that is known. */
  window?: Pick<LocalModel, "contextWindow" | "windowFrom">;
  ms: number;
  /** Why it failed, and what may help. */
  problem?: string;
  advice?: string;
}

/** A step on the way to a server. With a proxy the first ones lead to that. */
export type ReachStep = "name" | "connection" | "encryption" | "answer";

/** How far one gets on the way to a model's server, with no key and none of the configured headers. */
export interface ModelReach {
  /** `provider/id`, its api, and the host that requests go to; no host for the demonstration model, which needs none. */
  model: string;
  api: string;
  host?: string;
  /** Where the key comes from: the name of a variable, `stored key`, `subscription`, or `no key`. */
  credential?: string;
  /** Why there is no key to use. */
  keyProblem?: { code: string; message: string };
  /** The proxy that the environment names for this host. */
  proxy?: string;
  /** Those that were taken, with milliseconds. */
  steps: readonly { step: ReachStep; ms: number }[];
  /** The HTTP status of what the server answered. */
  status?: number;
  /** The step that failed, why, and what may help; `late` when it only took too long. */
  failed?: { step: ReachStep; reason: string; advice: string; late: boolean };
}

/** How to log in to a provider: with a key of its own, or at its site as a subscriber. */
export type LoginWay = "key" | "subscription";

/** The person who logs in at a provider's site. */
export interface SignInDialog {
  /** Shows an address to open in a browser, on any machine, and what to do there. */
  show(address: string, instructions?: string): void;
  /** A line that is typed or pasted. Where nobody can answer: nothing when that is an answer, else it stays open. */
  ask(question: string, mayBeEmpty: boolean): Promise<string>;
  /** Says what happens. */
  tell(progress: string): void;
  /** Gives the login up. */
  signal: AbortSignal;
}

/** What a person does about models: look, try, and keep keys. All throw MODEL_ errors. */
export interface ModelAdminService {
  /** Models of the known providers whose `provider/id` holds every word of the filter. */
  list(filter?: string): Promise<ListedModel[]>;
  /** Sends one small request to the model in use. Throws when there is nothing to send or nowhere to send it. */
  check(signal?: AbortSignal): Promise<ModelCheck>;
  /**
   * How far one gets to the host of the model in use, within `limit` milliseconds; with a limit of 0 nothing is connected to.
   * Throws when no model is chosen or there is none of its name.
   */
  reach(limit: number): Promise<ModelReach>;
  /** What servers on this machine run now; asks at their usual ports and waits a moment. */
  local(): Promise<LocalModel[]>;
  /** Stores a provider's key; answers where, and the variable that holds another one and wins. */
  login(provider: string, key: string): Promise<{ path: string; shadowedBy?: string }>;
  /** Lets a person log in at a provider's site, and stores the tokens; answers as `login` does. */
  signIn(provider: string, dialog: SignInDialog): Promise<{ path: string; shadowedBy?: string }>;
  /** Forgets a provider's stored key or subscription; answers whether there was one. */
  logout(provider: string): Promise<boolean>;
  /** How one can log in to a provider. Throws MODEL_UNKNOWN_PROVIDER for one whose key could not be used. */
  waysIn(provider: string): Promise<readonly LoginWay[]>;
}

/** What the server answered to a request that failed, as far as it answered: `failure` on the message of an `error` event. */
export interface RequestFailure {
  /** The HTTP status, when it refused. */
  status?: number;
  /** Milliseconds it asks to wait before the next request. */
  retryAfterMs?: number;
  /** Why it was not reached at all: the system's word, such as ECONNREFUSED. */
  unreached?: string;
  /** What to do about it, of a key that was refused. */
  advice?: string;
}

/** Keeps keys out of everything that leaves the process or reaches the disk. */
export interface SecretsService {
  /** The environment for child processes: without any variable that holds a key. */
  childEnv(): Record<string, string>;
  /** Replaces every known secret value in a text. */
  redact(text: string): string;
  /** The same for text that arrives in pieces: holds back what could be the start of a secret. */
  redactor(): { write(chunk: string): string; end(): string };
  /** Byte ranges of the secrets in UTF-8 text, ascending and apart, for whoever shows a part of it. */
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
