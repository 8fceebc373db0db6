import type { Api, Model } from "@mariozechner/pi-ai";
import { isSpoken } from "./apis.ts";
import { authPath, storeKey } from "./auth-file.ts";
import type { ListedModel, ModelAdminService, UsableModel } from "./contract.ts";
import { errors } from "./errors.ts";
import { isKey } from "./key.ts";
import { nearest } from "./near.ts";
import { type Sources, variablesOf } from "./resolve.ts";

/** What a person does about models, over the same sources that a session's model comes from. */
export function createAdmin(model: UsableModel, from: Sources): ModelAdminService {
  return {
    list: (filter = "") => list(filter, from),
    check: async (signal) => (await import("./check.ts")).check(model, signal),
    local: async () => (await import("./local.ts")).findLocal(from.servers),
    requireProvider,
    async login(provider, key) {
      await requireProvider(provider);
      if (!isKey(key)) throw errors.MODEL_KEY_INVALID({ place: "what was given" });
      await storeKey(provider, key);
      const shadowedBy = variablesOf(provider).find((name) => from.env[name]);
      return { path: authPath(), ...(shadowedBy !== undefined && { shadowedBy }) };
    },
    logout: (provider) => storeKey(provider, undefined),
  };
}

async function list(filter: string, { env, keys }: Sources): Promise<ListedModel[]> {
  const words = filter.toLowerCase().split(/\s+/);
  const stored = keys();
  const isReady = (provider: string) =>
    stored[provider] !== undefined || variablesOf(provider).some((name) => Boolean(env[name]));
  const models = await spokenModels();
  return models
    .filter(({ provider, id }) => words.every((word) => `${provider}/${id}`.toLowerCase().includes(word)))
    .map((model) => listed(model, isReady(model.provider)));
}

function listed(
  { provider, id, contextWindow, maxTokens, cost, input, reasoning }: Model<Api>,
  ready: boolean,
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
    ready,
  };
}

async function spokenModels(): Promise<Model<Api>[]> {
  const { getModels, getProviders } = await import("@mariozechner/pi-ai");
  return getProviders().flatMap((provider) => (getModels(provider) as Model<Api>[]).filter(({ api }) => isSpoken(api)));
}

async function requireProvider(provider: string): Promise<void> {
  const providers = [...new Set((await spokenModels()).map((model) => model.provider as string))];
  if (!providers.includes(provider))
    throw errors.MODEL_UNKNOWN_PROVIDER({ provider, near: nearest(provider, providers) });
}
