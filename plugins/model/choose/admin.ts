import type { Api, Model } from "@mariozechner/pi-ai";
import type { ListedModel, LoginWay, ModelAdminService } from "../contract.ts";
import { errors } from "../errors.ts";
import { authPath, type Credential, storeCredential } from "../keys/auth-file.ts";
import { isKey } from "../keys/key.ts";
import { subscriptions } from "../keys/subscriptions.ts";
import type { OwnModel } from "../model.ts";
import { isSpoken } from "./apis.ts";
import { nearest } from "./near.ts";
import { type Sources, variablesOf } from "./resolve.ts";

/** Creates the service `modelAdmin`: listing, checking and logging in, over the same sources as a session's model. */
export function createAdmin(model: OwnModel, from: Sources): ModelAdminService {
  return {
    list: (filter = "") => list(filter, from),
    check: async (signal) => (await import("./check.ts")).check(model, signal),
    reach: async (limit) => (await import("./reach.ts")).reach(model, limit, from.env),
    local: async () => (await import("./local.ts")).findLocal(from.servers),
    waysIn,
    async login(provider, key) {
      if (!(await waysIn(provider)).includes("key")) throw errors.MODEL_NO_KEYS({ provider });
      if (!isKey(key)) throw errors.MODEL_KEY_INVALID({ place: "what was given" });
      return keep(provider, key, from);
    },
    async signIn(provider, dialog) {
      if (!(await waysIn(provider)).includes("subscription")) throw errors.MODEL_NO_SUBSCRIPTION({ provider });
      const { signIn } = await import("../keys/sign-in.ts");
      return keep(provider, await signIn(provider, dialog), from);
    },
    logout: (provider) => storeCredential(provider, undefined),
  };
}

async function keep(provider: string, credential: Credential, { env }: Sources) {
  await storeCredential(provider, credential);
  const shadowedBy = variablesOf(provider).find((name) => env[name]);
  return { path: authPath(), ...(shadowedBy !== undefined && { shadowedBy }) };
}

async function list(filter: string, { env, stored }: Sources): Promise<ListedModel[]> {
  const words = filter.toLowerCase().split(/\s+/);
  const known = stored();
  const credentialOf = (provider: string) => variablesOf(provider).find((name) => env[name]) ?? kindOf(known[provider]);
  const models = await spokenModels();
  return models
    .filter(({ provider, id }) => words.every((word) => `${provider}/${id}`.toLowerCase().includes(word)))
    .map((model) => listed(model, credentialOf(model.provider)));
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

async function waysIn(provider: string): Promise<readonly LoginWay[]> {
  const providers = [...new Set((await spokenModels()).map((model) => model.provider as string))];
  if (!providers.includes(provider))
    throw errors.MODEL_UNKNOWN_PROVIDER({ provider, near: nearest(provider, providers) });
  const offer = Object.hasOwn(subscriptions, provider) ? subscriptions[provider] : undefined;
  if (!offer) return ["key"];
  return offer.keys ? ["key", "subscription"] : ["subscription"];
}
