import { isLoopback } from "@scorel/kit/net/loopback";
import type { CustomConfig } from "../config.ts";
import type { LocalModel, ModelService } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Credential } from "../keys/auth-file.ts";
import type { OwnStream } from "../providers/provider.ts";
import { checkedUrl } from "./base-url.ts";
import { compatOf } from "./compat.ts";

/** A resolved model and the sources of its key. */
export interface Choice {
  model: ReturnType<ModelService["current"]>;
  /** Environment variables that may hold the key, best first; empty when the server needs none. */
  keyVariables: readonly string[];
  /**
   * Reads the provider's stored credential, which is used when no variable is set. Absent when a stored one must not be
   * used.
   */
  stored?(): Credential | undefined;
  /** Source of a local model's context window. */
  windowFrom?: LocalModel["windowFrom"];
  /** The provider whose own stream function makes the requests. */
  own?: OwnStream;
  /** Set for a server of the user's own: a custom table describes it, or it was found on this computer. */
  ownServer?: "described" | "found";
  /** True for the built-in demonstration model, which needs no server. */
  offline?: true;
}

/** Creates the model of a custom table; throws MODEL_ errors. */
export function custom({ type: _type, apiKeyEnv, headers, ...rest }: CustomConfig): Choice {
  const { provider, id, api, baseUrl } = rest;
  const { hostname } = checkedUrl(provider, api, baseUrl);
  if (apiKeyEnv === undefined && !isLoopback(hostname)) throw errors.MODEL_KEY_UNNAMED({ provider });
  const compat = compatOf(api, hostname);
  const model = { ...rest, name: id, ...(headers && { headers }), ...(compat && { compat }) };
  return { model, keyVariables: apiKeyEnv === undefined ? [] : [apiKeyEnv] };
}
