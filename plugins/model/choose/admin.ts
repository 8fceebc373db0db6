import type { Api, Model } from "@mariozechner/pi-ai";
import type { ModelConfig } from "../config.ts";
import type { ListedModel, LoginWay, ModelAdminService } from "../contract.ts";
import { errors } from "../errors.ts";
import { authPath, type Credential, storeCredential } from "../keys/auth-file.ts";
import { isKey } from "../keys/key.ts";
import { subscriptions } from "../keys/subscriptions.ts";
import type { OwnModel } from "../model.ts";
import type { Providers } from "../providers/registry.ts";
import { isSpoken } from "./apis.ts";
import { nearest } from "./near.ts";
import { type Sources, variablesOf } from "./resolve.ts";

/** Creates the service `modelAdmin`: listing, checking and logging in, over the same sources as a session's model. */
export function createAdmin(
  model: OwnModel,
  from: Sources & { tables: readonly ModelConfig[] },
  providers: Providers,
): ModelAdminService {
  const waysIn = (provider: string) => waysOf(provider, providers);
  return {
    list: async (filter = "") => {
      const own = configured(from);
      const isOwn = ({ provider, id }: ListedModel) => own.some((it) => it.provider === provider && it.id === id);
      return [...own.filter(matching(filter)), ...(await list(filter, from, providers)).filter((it) => !isOwn(it))];
    },
    check: async (signal) => {
      await model.ready();
      return (await import("./check.ts")).check(model, signal);
    },
    reach: async (limit) => {
      await model.ready();
      return (await import("./reach.ts")).reach(model, limit, from.env);
    },
    local: async () => (await import("./local.ts")).findLocal(from.servers),
    served: async (address, key) => (await import("./served.ts")).served(address, key),
    servedWindow: async (baseUrl, id) => (await import("./served.ts")).servedWindow(baseUrl, id),
    serverName: async (baseUrl, wanted) =>
      (await import("./server-name.ts")).serverName(baseUrl, wanted, from, providers),
    waysIn,
    async login(provider, key) {
      if (!(await waysIn(provider)).includes("key")) throw errors.MODEL_NO_KEYS({ provider });
      if (!isKey(key)) throw errors.MODEL_KEY_INVALID({ place: "what was given" });
      return keep(provider, key, from);
    },
    async signIn(provider, dialog) {
      if (!(await waysIn(provider)).includes("subscription")) throw errors.MODEL_NO_SUBSCRIPTION({ provider });
      const own = providers.get(provider);
      if (own?.provider.login) {
        const { logIn } = await import("../providers/login.ts");
        return keep(provider, await logIn(own, dialog), from);
      }
      const { signIn } = await import("../keys/sign-in.ts");
      return keep(provider, await signIn(provider, dialog), from);
    },
    async logout(provider) {
      if (await storeCredential(provider, undefined)) return true;
      if (!providers.get(provider) && !(await builtinNames()).includes(provider))
        throw errors.MODEL_NOT_STORED({ provider, stored: Object.keys(from.stored()) });
      return false;
    },
  };
}

async function keep(provider: string, credential: Credential, { env }: Sources) {
  await storeCredential(provider, credential);
  const shadowedBy = variablesOf(provider).find((name) => env[name]);
  return { path: authPath(), ...(shadowedBy !== undefined && { shadowedBy }) };
}

/** Returns whether `provider/id` contains all words of a filter, in upper or lower case. */
export function matching(filter: string): (model: { provider: string; id: string }) => boolean {
  const words = filter.toLowerCase().split(/\s+/);
  return ({ provider, id }) => words.every((word) => `${provider}/${id}`.toLowerCase().includes(word));
}

/** The models that the configuration describes. Unusable tables are left out; the session that uses one reports why. */
function configured({ env, tables }: Sources & { tables: readonly ModelConfig[] }): ListedModel[] {
  const rows = tables.flatMap((table): ListedModel[] => {
    if (table.type !== "custom") return [];
    const { provider, id, contextWindow, maxTokens, cost, input, reasoning, apiKeyEnv } = table;
    const credential = apiKeyEnv === undefined ? "no key" : env[apiKeyEnv] ? apiKeyEnv : undefined;
    const model = { provider, id, contextWindow, maxTokens, cost, input, reasoning } as Model<Api>;
    return [{ ...listed(model, credential), configured: true }];
  });
  return rows.filter((row, at) => rows.findIndex((it) => it.provider === row.provider && it.id === row.id) === at);
}

async function list(filter: string, { env, stored }: Sources, providers: Providers): Promise<ListedModel[]> {
  const matches = matching(filter);
  const keys = stored();
  const credentialOf = (provider: string) => variablesOf(provider).find((name) => env[name]) ?? kindOf(keys[provider]);
  const models = (await spokenModels()).filter(({ provider }) => !providers.get(provider));
  const known = models.filter(matches).map((model) => listed(model, credentialOf(model.provider)));
  return [...known, ...(await contributed(providers)).filter(matches)];
}

/** The models of providers that plugins contribute. Their servers are asked in parallel. */
async function contributed(providers: Providers): Promise<ListedModel[]> {
  const lists = providers.all().map(async (owned) => {
    const credential = providers.credentialOf(owned);
    return ((await providers.models(owned)) ?? []).map(({ id }) =>
      listed(providers.choice(owned, id).model, credential),
    );
  });
  return (await Promise.all(lists)).flat();
}

function kindOf(credential: Credential | undefined): string | undefined {
  if (credential === undefined) return undefined;
  return typeof credential === "string" ? "stored key" : "subscription";
}

function listed(
  { provider, id, contextWindow, maxTokens, cost, input, reasoning }: Model<Api>,
  credential: string | undefined,
): ListedModel {
  const prices = { input: cost.input, output: cost.output };
  return {
    provider,
    id,
    contextWindow,
    maxTokens,
    cost: prices,
    images: input.includes("image"),
    thinks: reasoning,
    ready: credential !== undefined,
    ...(credential !== undefined && { credential }),
  };
}

async function spokenModels(): Promise<Model<Api>[]> {
  const { getModels, getProviders } = await import("@mariozechner/pi-ai");
  return getProviders().flatMap((provider) => (getModels(provider) as Model<Api>[]).filter(({ api }) => isSpoken(api)));
}

/** The names of the built-in providers. */
async function builtinNames(): Promise<string[]> {
  return [...new Set((await spokenModels()).map((model) => model.provider as string))];
}

async function waysOf(provider: string, providers: Providers): Promise<readonly LoginWay[]> {
  const own = providers.get(provider);
  if (own) return own.provider.login ? ["key", "subscription"] : ["key"];
  const names = await builtinNames();
  if (!names.includes(provider)) throw errors.MODEL_UNKNOWN_PROVIDER({ provider, near: nearest(provider, names) });
  const offer = Object.hasOwn(subscriptions, provider) ? subscriptions[provider] : undefined;
  if (!offer) return ["key"];
  return offer.keys ? ["key", "subscription"] : ["subscription"];
}
