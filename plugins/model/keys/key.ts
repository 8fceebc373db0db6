import type { Choice } from "../choose/choice.ts";
import type { Sources } from "../choose/resolve.ts";
import { errors } from "../errors.ts";
import type { Subscription } from "./auth-file.ts";

/** Key sent to a local server without authentication, because the protocol requires one. */
const NO_KEY = "none";

/** The key for a request and where it came from. */
export interface Access {
  key: string;
  /** Where the key came from: a variable's name, `stored key`, `subscription` or `no key`. */
  credential: string;
  /** The subscription, when the key is its token. */
  subscription?: Subscription;
}

/** Reads the key for a model now. Throws MODEL_KEY_ errors that name the variable but never quote its value. */
export function accessFor(
  { model, keyVariables, stored }: Choice,
  { env, served }: Pick<Sources, "env" | "served">,
): Access {
  const [usual] = keyVariables;
  if (usual === undefined) return { key: NO_KEY, credential: "no key" };
  const variable = keyVariables.find((name) => env[name]);
  if (variable !== undefined) return { key: checked(env[variable] as string, variable), credential: variable };
  const found = stored?.();
  if (found === undefined)
    throw missing({ provider: model.provider, variable: usual, storable: stored !== undefined }, served?.());
  if (typeof found === "string") return { key: checked(found, "~/.scorel/auth.json"), credential: "stored key" };
  return { key: found.access, credential: "subscription", subscription: found };
}

function missing(
  what: { provider: string; variable: string; storable: boolean },
  host: ReturnType<NonNullable<Sources["served"]>>,
) {
  return host ? errors.MODEL_KEY_NOT_IN_HOST({ ...what, ...host }) : errors.MODEL_KEY_MISSING(what);
}

function checked(key: string, place: string): string {
  if (!isKey(key)) throw errors.MODEL_KEY_INVALID({ place });
  return key;
}

/** Returns true for a text that can be sent in a header as a key. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
