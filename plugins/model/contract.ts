import type { Api, AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "@mariozechner/pi-ai";
import type { CustomApi } from "@scorel/kit/schema/model-table";
import type { ModelConfig } from "./config.ts";

/** Options of one request. */
export interface StreamOptions extends SimpleStreamOptions {
  /** Called while the reply arrives: whether deltas that arrive together may be joined. Default: false. */
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
   * Waits until a plugin's provider has listed its models, if the session's model may be one of them. If no model could be chosen before, as
   * without a key, tries again.
   */
  ready?(): Promise<void>;
  /**
   * Returns the model of the table `[models.<alias>]`, for example "summary" or "title", or the session's model without
   * such a table.
   */
  named(alias: string): Promise<UsableModel>;
  /**
   * If no model is configured, why this one was chosen: the variable with its provider's key, `stored key` or `subscription`. Undefined for a
   * configured model. Throws like `current`.
   */
  foundBy?(): string | undefined;
  /** Whether a table with `type = "custom"` says what the model can do. Throws like `current`. */
  isDescribed?(): boolean;
  /** Switches to `provider/id` for the next requests. Throws MODEL_ errors; the current model is then kept. */
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
  /** Set if the model is described in `[model]` or `[models.<alias>]`. */
  configured?: true;
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

/** The models of a custom server, and the base URL at which they can be used. */
export interface ServedModels {
  baseUrl: string;
  models: { id: string; contextWindow?: number }[];
}

/** Result of one small test request. */
export interface ModelCheck {
  /** `provider/id`, its api, and the host that was called. */
  model: string;
  api: string;
  host: string;
  /** Where the key came from: a variable's name, `stored key`, `subscription` or `no key`. */
  credential: string;
  /** Context window of a local model in tokens, and its source. */
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
  /** Lists the configured models and those of known providers whose `provider/id` contains every word of the filter. */
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
  /** Lists the models of any server with the api of OpenAI. `/v1` may be missing in the address. Throws MODEL_SERVER_LIST and MODEL_KEY_INVALID. */
  served(address: string, key: string | undefined): Promise<ServedModels>;
  /** The context window of a model whose server did not list it: asks Ollama for it, and assumes a default for other servers. */
  servedWindow(baseUrl: string, id: string): Promise<number>;
  /** The provider name for the server at this address: that of its table, else `wanted`, with a number appended if that is taken. */
  serverName(baseUrl: string, wanted: string): Promise<string>;
  /** Stores a provider's API key. Returns the file, and the variable with another key that takes precedence. */
  login(provider: string, key: string): Promise<{ path: string; shadowedBy?: string }>;
  /** Lets a person log in at a provider's site and stores the tokens. Returns the same as `login`. */
  signIn(provider: string, dialog: SignInDialog): Promise<{ path: string; shadowedBy?: string }>;
  /** Removes a provider's stored key or subscription. Returns whether there was one; throws MODEL_NOT_STORED if the name is unknown, too. */
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
  /** Advice about a refused key, or about a server of the user's own that refuses the connection. */
  advice?: string;
}

/** The service `secrets`: keeps keys out of logs, requests and child processes. */
export interface SecretsService {
  /**
   * Returns the environment for child processes, without variables that hold a key. `from`: the variables to choose from; default:
   * those of this process.
   */
  childEnv(from?: Readonly<Record<string, string | undefined>>): Record<string, string>;
  /** Replaces every known secret in a text. */
  redact(text: string): string;
  /** Redacts streamed text. Holds back the end of a chunk that could be the start of a secret. */
  redactor(): { write(chunk: string): string; end(): string };
  /** Returns the byte ranges of secrets in UTF-8 text, ascending and not overlapping. */
  spans(bytes: Buffer): readonly (readonly [from: number, to: number])[];
}

/** A model of a provider that a plugin contributes. */
export interface ProviderModel {
  id: string;
  /** Maximum tokens of a request and its reply together. */
  contextWindow: number;
  /** Maximum tokens of a reply. */
  maxTokens: number;
  /** True if the model can think before it answers. Default: false. */
  reasoning?: boolean;
  /** What the model can read. Default: `["text"]`. */
  input?: readonly ("text" | "image")[];
  /** US dollars per million tokens. Default: 0. */
  cost?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  /** Maximum seconds without any output of the model. Default: `idleTimeout` in `[agent]`. */
  idleTimeout?: number;
}
/** Access to the provider's server, for functions of a provider. */
export interface ProviderAccess {
  /**
   * Makes a request to a path below `baseUrl`, or to a URL or with a Request of the same host, with the provider's key and headers.
   * Other hosts and the header `host` are refused, and redirects are not followed.
   */
  fetch(target: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Aborts when the request is cancelled. `fetch` uses it unless `init` has another signal. */
  signal: AbortSignal;
}
/** A request to a provider that has its own stream function. */
export interface ProviderRequest extends ProviderAccess {
  model: ProviderModel;
  /** The system prompt, the messages and the tools. */
  context: Context;
  options: Pick<StreamOptions, "temperature" | "maxTokens" | "reasoning" | "sessionId">;
}
/** A part of a reply. */
export type ProviderPart =
  | { type: "text" | "thinking"; text: string }
  /** A piece of a tool call. The call's arguments are the concatenated `json` of all pieces with the same id. */
  | { type: "toolCall"; id: string; name: string; json: string }
  /** Tokens of the request and the reply. `input` excludes tokens read from or written to a cache. */
  | { type: "usage"; input: number; output: number; cacheRead?: number; cacheWrite?: number }
  /** The last part of a complete reply. A reply without it counts as cut off. */
  | { type: "end"; reason: "stop" | "length" | "toolUse" };

/** A provider of models. It has either an `api` that Scorel knows or a function `stream`. */
export interface ModelProvider {
  /** The provider's name, as people see it. Default: its id. */
  label?: string;
  /** The base URL of the api, as in `[model]`. Requests and the key are only sent to this host. */
  baseUrl: string;
  api?: CustomApi;
  /** Makes one request in the provider's own format. Throw an error to fail; its message is shown, without keys. */
  stream?(request: ProviderRequest): AsyncIterable<ProviderPart>;
  /** The provider's models, or a function that requests them from the server when they are needed. */
  models: readonly ProviderModel[] | ((access: ProviderAccess) => Promise<readonly ProviderModel[]>);
  /**
   * Name of the environment variable with the key; `false` if the provider needs no key. Default: `<ID>_API_KEY`, or no key for a server
   * on this machine without `login`.
   */
  apiKeyEnv?: string | false;
  /** Header that carries the key in `fetch`. Default: `authorization`, as `Bearer <key>`. */
  keyHeader?: string;
  /** Additional headers for each request. */
  headers?: Readonly<Record<string, string>>;
  /** Logs a person in at the provider's site and returns the key, which Scorel stores. Offered by `scorel login <id>`. */
  login?(dialog: SignInDialog): Promise<string>;
}

declare module "@scorel/kernel" {
  interface Contributions {
    /**
     * Providers of models, by id. Their models can be used like those of known providers: `--model acme/large`, `/model`, `[model]` with
     * `type = "builtin"`. If several have the same id, the first one is used, and Scorel's own providers come before all others; with
     * `replaces: ["acme"]`, a plugin's provider is used instead. `scorel model list` opens no session: it includes host plugins, and
     * only those session plugins that have `providers` as a field.
     */
    providers: Record<string, ModelProvider>;
  }
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
