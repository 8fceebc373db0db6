import type { Api, Model } from "@mariozechner/pi-ai";
import type { BuiltinConfig, CustomConfig, ModelConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { nearest } from "./near.ts";
import { providerKeys } from "./provider-keys.ts";

/** The apis that can be spoken now. */
export const supported: readonly Api[] = ["openai-completions"];

/** A model and where its key comes from. */
export interface Choice {
  model: Model<Api>;
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

async function builtin({ provider, id, apiKeyEnv }: BuiltinConfig): Promise<Choice> {
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
  requireSupported(model);
  return { model, keyVariables: apiKeyEnv ? [apiKeyEnv] : (providerKeys[provider] ?? [usualVariable(provider)]) };
}

function usualVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

function custom({ type: _type, apiKeyEnv, baseUrl, headers, ...rest }: CustomConfig): Choice {
  requireSupported(rest);
  const url = checkedUrl(rest.provider, baseUrl);
  if (apiKeyEnv === undefined && !isLoopback(url.hostname)) throw errors.MODEL_KEY_UNNAMED({ provider: rest.provider });
  const model: Model<Api> = { ...rest, name: rest.id, baseUrl, ...(headers && { headers }), ...compatOf(url.hostname) };
  return { model, keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv] };
}

function requireSupported({ provider, id, api }: { provider: string; id: string; api: string }): void {
  if (!supported.includes(api)) throw errors.MODEL_API_UNSUPPORTED({ provider, id, api, supported });
}

/** The reasons never repeat the value: it may hold a password. */
function checkedUrl(provider: string, baseUrl: string): URL {
  const wrong = (reason: string) => errors.MODEL_BASE_URL({ provider, reason });
  if (!/^https?:\/\//i.test(baseUrl)) throw wrong('has no scheme: it must start with "https://" or "http://"');
  if (!URL.canParse(baseUrl)) throw wrong("is not a URL");
  const url = new URL(baseUrl);
  if (url.username || url.password)
    throw wrong("holds a user name or password; a key belongs into the variable that apiKeyEnv names");
  if (url.search || url.hash) throw wrong('holds a "?" or "#" part, which the api\'s own paths cannot follow');
  // For two provider names pi-ai would fill braces with the values of environment variables.
  if (/[{}]/.test(baseUrl)) throw wrong("holds braces; write the address out");
  return url;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/** What only OpenAI itself is sure to accept is not sent to others. */
function compatOf(hostname: string): { compat?: Model<"openai-completions">["compat"] } {
  if (hostname === "api.openai.com" || hostname.endsWith(".openai.azure.com")) return {};
  return {
    compat: {
      supportsDeveloperRole: false,
      supportsStore: false,
      supportsStrictMode: false,
      supportsLongCacheRetention: false,
      maxTokensField: "max_tokens",
    },
  };
}
