import { isLoopback } from "@scorel/kit/net/loopback";
import type { Credential } from "./auth-file.ts";
import { checkedUrl } from "./base-url.ts";
import { compatOf } from "./compat.ts";
import type { CustomConfig } from "./config.ts";
import type { LocalModel, ModelService } from "./contract.ts";
import { errors } from "./errors.ts";

/** A model and where its key comes from. */
export interface Choice {
  model: ReturnType<ModelService["current"]>;
  /** Variables that may hold the key, best first; empty when the server asks for none. */
  keyVariables: readonly string[];
  /** What is stored for the provider, which serves when no variable holds a key; absent where nothing may serve. */
  stored?(): Credential | undefined;
  /** How the window of a server's model on this machine is known. */
  windowFrom?: LocalModel["windowFrom"];
  /** The demonstration model, which no server runs. */
  offline?: true;
}

/** The model that a table of type custom describes; throws MODEL_ errors. */
export function custom({ type: _type, apiKeyEnv, headers, ...rest }: CustomConfig): Choice {
  const { provider, id, api, baseUrl } = rest;
  const { hostname } = checkedUrl(provider, api, baseUrl);
  if (apiKeyEnv === undefined && !isLoopback(hostname)) throw errors.MODEL_KEY_UNNAMED({ provider });
  const compat = compatOf(api, hostname);
  const model = { ...rest, name: id, ...(headers && { headers }), ...(compat && { compat }) };
  return { model, keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv] };
}
