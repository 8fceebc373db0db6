import type { Api, AssistantMessageEventStream, Context, Model } from "@mariozechner/pi-ai";
import { messageOf, ScorelError } from "@scorel/kernel";
import type { Choice } from "./choose/choice.ts";
import { parseName, resolveModel, type Sources } from "./choose/resolve.ts";
import { resolveOne, tableFor } from "./choose/tables.ts";
import type { ModelConfig } from "./config.ts";
import type { ModelService, RequestFailure, StreamOptions, UsableModel } from "./contract.ts";
import { secretsOf } from "./keys/auth-file.ts";
import { type Access, accessFor } from "./keys/key.ts";
import type { Secrets } from "./keys/secrets.ts";
import { isDue } from "./keys/subscriptions.ts";
import type { Run } from "./providers/own-stream.ts";
import type { Providers } from "./providers/registry.ts";
import type { SentMessages } from "./wire/sent-messages.ts";

/** Inputs for creating a session's models. */
export interface Wanted {
  config: ModelConfig;
  /** `provider/id` from the command line. */
  asked?: string | undefined;
  /** The tables `[models.<alias>]`. */
  named: Readonly<Record<string, ModelConfig>>;
  from: Sources;
  /** The providers of plugins. */
  providers: Providers;
  run: Run;
  /** Aborts when the session begins to stop; no request is sent after that. */
  stopping: AbortSignal;
}

/** A usable model with details about its key and window. */
export interface OwnModel extends UsableModel {
  /** Source of the key, as in ModelCheck. Throws like `current`. */
  credential(): string;
  /** Source of the context window, as in LocalModel; undefined for other models. */
  windowFrom(): Choice["windowFrom"];
  ready(): Promise<void>;
  /** The chosen model, with or without a key. Throws the error of the choice. */
  chosen(): Pick<Choice, "model" | "offline" | "ownServer">;
}

/**
 * Creates the service `model`. An invalid choice throws at each use instead of here, so that the session still opens.
 */
export async function createModel(
  { config, asked, named, from, providers, run, stopping }: Wanted,
  secrets: Secrets,
): Promise<ModelService & OwnModel> {
  const request: RequestContext = { secrets, from, providers, run, stopping };
  const tables = [config, ...Object.values(named)];
  const aliased = (alias: string) => (Object.hasOwn(named, alias) ? named[alias] : undefined);
  const resolved = (name: string) => {
    const ofAlias = aliased(name);
    if (ofAlias) return make(ofAlias);
    const table = tableFor(name, tables) ?? config;
    const sources = { ...from, names: Object.keys(named) };
    return usableModel(() => resolveOne(table, name, sources, tables), nameOf(table, name), request);
  };
  const make = (table: ModelConfig) => usableModel(() => resolveModel(table, undefined, from), nameOf(table), request);
  let isNamed = asked !== undefined || config.type !== undefined;
  let chosen = await (asked === undefined ? make(config) : resolved(asked));
  const main: OwnModel = {
    current: () => chosen.current(),
    credential: () => chosen.credential(),
    windowFrom: () => chosen.windowFrom(),
    chosen: () => chosen.chosen(),
    ready: () => chosen.ready(),
    stream: (context, options) => chosen.stream(context, options),
  };
  const others = new Map<string, Promise<OwnModel>>();
  return {
    ...main,
    isDescribed: () => chosen.chosen().ownServer === "described",
    async choose(name) {
      const wanted = await resolved(name);
      await wanted.ready();
      wanted.current();
      chosen = wanted;
      isNamed = true;
    },
    foundBy: () => (isNamed ? undefined : chosen.credential()),
    async named(alias) {
      const table = aliased(alias);
      if (!table) return main;
      const made = others.get(alias) ?? make(table);
      others.set(alias, made);
      await (await made).ready();
      return made;
    },
  };
}

/** Returns the model's name if a plugin's provider may have it; undefined if the table itself has the address of the server. */
function nameOf(config: ModelConfig, asked?: string): Name | undefined {
  if (asked === undefined) return config.type === "builtin" ? config : undefined;
  const name = parseName(asked);
  return config.type === "custom" && config.provider === name?.provider ? undefined : name;
}

interface Name {
  provider: string;
  id: string;
}

/** Dependencies of every request of a session. */
interface RequestContext extends Pick<Wanted, "from" | "stopping" | "providers" | "run"> {
  secrets: Secrets;
  sent?: SentMessages;
}

async function usableModel(
  resolve: () => Promise<Choice>,
  name: Name | undefined,
  request: RequestContext,
): Promise<OwnModel> {
  const { providers, from } = request;
  const resolved = () =>
    resolve().then(
      (made) => ({ made }),
      (thrown: unknown) => ({ thrown }),
    );
  let known = await resolved();
  const owned = () => name && providers.get(name.provider);
  const choice = () => {
    const provider = owned();
    if (provider && name) return providers.choice(provider, name.id);
    if ("thrown" in known) throw known.thrown;
    return known.made;
  };
  return {
    async ready() {
      const provider = owned();
      if (provider) await providers.models(provider);
      // Since the last attempt, the user may have stored a key or started a local server.
      else if ("thrown" in known) known = await resolved();
    },
    current: () => usable(choice(), from).model,
    credential: () => usable(choice(), from).credential,
    windowFrom: () => choice().windowFrom,
    chosen: () => choice(),
    stream: (context, options) => open(choice, context, options, request),
  };
}

type Usable = Choice & Access;

/** Adds the key to a choice, and the base URL that the provider assigned to a subscriber. */
function usable(choice: Choice, from: Sources): Usable {
  const access = accessFor(choice, from);
  const { baseUrl } = access.subscription ?? {};
  return { ...choice, ...access, ...(baseUrl !== undefined && { model: { ...choice.model, baseUrl } }) };
}

/** Like `usable`, but renews a subscription's token that is about to expire (usually after about an hour). */
async function withFreshToken(choice: Choice, { secrets, from }: RequestContext): Promise<Usable> {
  const found = usable(choice, from);
  if (!found.subscription) return found;
  secrets.learn(secretsOf(found.subscription));
  if (!isDue(found.subscription)) return found;
  const { renewed } = await import("./keys/refresh.ts");
  secrets.learn(secretsOf(await renewed(choice.model.provider)));
  return usable(choice, from);
}

const noModel = { api: "none", provider: "none", id: "none" } satisfies Pick<Model<Api>, "api" | "provider" | "id">;

async function open(
  choose: () => Choice,
  context: Context,
  options: StreamOptions,
  request: RequestContext,
): Promise<AssistantMessageEventStream> {
  const { secrets, stopping } = request;
  try {
    const { model, key, credential, offline, own, ownServer } = await withFreshToken(choose(), request);
    if (offline) return await (await import("./offline/offline.ts")).streamOffline(context, options);
    stopping.throwIfAborted();
    const { signal = stopping } = options;
    if (own) {
      const { streamOwn } = await import("./providers/own-stream.ts");
      const { redact } = secrets;
      const { run } = request;
      return streamOwn(own, {
        model,
        access: { key, credential },
        context,
        options: { ...options, signal },
        redact,
        run,
      });
    }
    const { streamModel } = await import("./wire/stream.ts");
    return await streamModel(model, { key, credential, ownServer }, context, { ...options, signal }, request);
  } catch (thrown) {
    const { failedStream } = await import("./wire/reply.ts");
    const { failure } = (thrown instanceof ScorelError ? thrown.data : {}) as { failure?: RequestFailure };
    return await failedStream(noModel, secrets.redact(messageOf(thrown)), { failure });
  }
}
