import type { Api, Model } from "@mariozechner/pi-ai";
import type { Launch } from "@scorel/cli/contract";
import { customApis } from "@scorel/kit/schema/model-table";
import type { BuiltinConfig, ModelConfig } from "../config.ts";
import { errors } from "../errors.ts";
import type { Stored } from "../keys/auth-file.ts";
import { isSpoken } from "./apis.ts";
import { type Choice, custom } from "./choice.ts";
import { defaultModels } from "./default-models.ts";
import type { LocalServer } from "./local-servers.ts";
import { nearest } from "./near.ts";
import { providerKeys } from "./provider-keys.ts";

/** Where models and keys are looked up, in addition to the table. */
export interface Sources {
  env: Readonly<Record<string, string | undefined>>;
  /** Reads the stored credentials, by provider. */
  stored(): Stored;
  servers: readonly LocalServer[];
  /** The names of the tables `[models.<name>]`. */
  names?: readonly string[];
  /** The host in the background, if it is this process and `env` has its variables. */
  served?(): Launch["served"];
}

/**
 * Resolves the model for the table `[model]` and `--model provider/id`. Throws MODEL_ errors. Loads the list of
 * built-in models only when needed.
 */
export async function resolveModel(config: ModelConfig, asked: string | undefined, from: Sources): Promise<Choice> {
  if (asked === undefined) return configured(config, from);
  const name = parseName(asked);
  if (!name && config.type !== undefined && config.id === asked) return configured(config, from);
  if (!name) throw errors.MODEL_NAME({ asked, example: exampleFor(config), names: from.names });
  const { provider, id } = name;
  if (provider === "offline" && id === "demo") return offline();
  if (config.type !== undefined && config.provider === provider) return configured({ ...config, id }, from);
  const server = from.servers.find((each) => each.provider === provider);
  if (server) return (await import("./local-choice.ts")).localChoice(server, id);
  return builtin({ type: "builtin", provider, id }, from);
}

/** A complete model name as an example for errors: for a custom server, the one that is configured. */
function exampleFor(config: ModelConfig): string {
  return config.type === "custom" ? `${config.provider}/${config.id}` : "openrouter/openai/gpt-5.4-mini";
}

function configured(config: ModelConfig, from: Sources): Choice | Promise<Choice> {
  if (config.type === "custom") return { ...custom(config), ownServer: "described" };
  return builtin(config.type === undefined ? keyed(from) : config, from);
}

/** Without configuration: returns the first default model whose provider has a key in the environment or stored. */
function keyed({ env, stored, served }: Sources): BuiltinConfig {
  const known = stored();
  const found = defaultModels.find(
    ({ provider }) => known[provider] !== undefined || variablesOf(provider).some((name) => env[name]),
  );
  const host = served?.();
  if (!found) throw host ? errors.MODEL_NONE_IN_HOST(host) : errors.MODEL_NONE();
  return { type: "builtin", ...found };
}

/** Splits `provider/id`. Ids may contain slashes, as in `openrouter/openai/gpt-5.4-mini`. Returns undefined for another form. */
export function parseName(asked: string): { provider: string; id: string } | undefined {
  const slash = asked.indexOf("/");
  if (slash < 1 || slash === asked.length - 1) return undefined;
  return { provider: asked.slice(0, slash), id: asked.slice(slash + 1) };
}

async function offline(): Promise<Choice> {
  const { offlineModel } = await import("../offline/offline.ts");
  return { model: offlineModel, keyVariables: [], offline: true };
}

async function builtin({ provider, id, apiKeyEnv, idleTimeout }: BuiltinConfig, { stored }: Sources): Promise<Choice> {
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
  if (!isSpoken(model.api)) throw errors.MODEL_API_UNSUPPORTED({ provider, id, api: model.api, supported: customApis });
  const patient = idleTimeout === undefined ? model : { ...model, idleTimeout };
  if (apiKeyEnv !== undefined) return { model: patient, keyVariables: [apiKeyEnv] };
  return { model: patient, keyVariables: variablesOf(provider), stored: () => stored()[provider] };
}

/** Returns the environment variables for a provider's key, best first. */
export function variablesOf(provider: string): readonly string[] {
  const known = Object.hasOwn(providerKeys, provider) ? providerKeys[provider] : undefined;
  return known ?? [usualVariable(provider)];
}

function usualVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}
