import type { Api, Model } from "@mariozechner/pi-ai";
import { apis, isSpoken } from "./apis.ts";
import { checkedUrl, isLoopback } from "./base-url.ts";
import { compatOf } from "./compat.ts";
import type { BuiltinConfig, CustomConfig, ModelConfig } from "./config.ts";
import type { ModelService } from "./contract.ts";
import { errors } from "./errors.ts";
import { nearest } from "./near.ts";
import { providerKeys } from "./provider-keys.ts";

/** A model and where its key comes from. */
export interface Choice {
  model: ReturnType<ModelService["current"]>;
  /** Variables that may hold the key, best first; empty when the server asks for none. */
  keyVariables: readonly string[];
  /** The demonstration model, which no server runs. */
  offline?: true;
}

/**
 * The model that the table `[model]` and `--model provider/id` ask for. Throws MODEL_ errors.
 * The list of built-in models is loaded only when it is needed.
 */
export async function resolveModel(config: ModelConfig, asked?: string): Promise<Choice> {
  if (asked === undefined) return configured(config);
  const { provider, id } = parseName(asked);
  if (provider === "offline" && id === "demo") return offline();
  if (config.type !== undefined && config.provider === provider) return configured({ ...config, id });
  return builtin({ type: "builtin", provider, id });
}

function configured(config: ModelConfig): Choice | Promise<Choice> {
  if (config.type === undefined) throw errors.MODEL_NONE();
  return config.type === "custom" ? custom(config) : builtin(config);
}

/** Ids may hold slashes themselves: `openrouter/openai/gpt-5.4-mini`. */
function parseName(asked: string): { provider: string; id: string } {
  const slash = asked.indexOf("/");
  if (slash < 1 || slash === asked.length - 1) throw errors.MODEL_NAME({ asked });
  return { provider: asked.slice(0, slash), id: asked.slice(slash + 1) };
}

async function offline(): Promise<Choice> {
  const { offlineModel } = await import("./offline.ts");
  return { model: offlineModel, keyVariables: [], offline: true };
}

async function builtin({ provider, id, apiKeyEnv, idleTimeout }: BuiltinConfig): Promise<Choice> {
  if (provider === "offline") throw errors.MODEL_UNKNOWN({ provider, id, near: ["demo"] });
  const { getModels, getProviders } = await import("@mariozechner/pi-ai");
  const providers: string[] = getProviders();
  if (!providers.includes(provider)) {
    throw errors.MODEL_UNKNOWN_PROVIDER({ provider, near: nearest(provider, providers) });
  }
  const models: Model<Api>[] = getModels(provider as Parameters<typeof getModels>[0]);
  const model = models.find((known) => known.id === id);
  const ids = models.map((known) => known.id);
  if (!model) throw errors.MODEL_UNKNOWN({ provider, id, near: nearest(id, ids) });
  if (!isSpoken(model.api)) throw errors.MODEL_API_UNSUPPORTED({ provider, id, api: model.api, supported: apis });
  const patient = idleTimeout === undefined ? model : { ...model, idleTimeout };
  return {
    model: patient,
    keyVariables: apiKeyEnv ? [apiKeyEnv] : (providerKeys[provider] ?? [usualVariable(provider)]),
  };
}

function usualVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

function custom({ type: _type, apiKeyEnv, headers, ...rest }: CustomConfig): Choice {
  const { provider, id, api, baseUrl } = rest;
  const { hostname } = checkedUrl(provider, api, baseUrl);
  if (apiKeyEnv === undefined && !isLoopback(hostname)) throw errors.MODEL_KEY_UNNAMED({ provider });
  const compat = compatOf(api, hostname);
  const model = { ...rest, name: id, ...(headers && { headers }), ...(compat && { compat }) };
  return { model, keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv] };
}
