import type { Subscription } from "./auth-file.ts";
import type { Choice } from "./choice.ts";
import { errors } from "./errors.ts";

/** Sent to a server on this machine that asks for no key; the protocol wants one. */
const NO_KEY = "none";

/** What a request is sent with. */
export interface Access {
  key: string;
  /** Where the key came from: the name of a variable, `stored key`, `subscription`, or `no key`. */
  credential: string;
  /** The subscription whose token the key is. */
  subscription?: Subscription;
}

/** The key for a model, read now; throws MODEL_KEY_ errors that name the variable and never its value. */
export function accessFor(
  { model, keyVariables, stored }: Choice,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Access {
  const [usual] = keyVariables;
  if (usual === undefined) return { key: NO_KEY, credential: "no key" };
  const variable = keyVariables.find((name) => env[name]);
  if (variable !== undefined) return { key: checked(env[variable] as string, variable), credential: variable };
  const found = stored?.();
  if (found === undefined)
    throw errors.MODEL_KEY_MISSING({ provider: model.provider, variable: usual, storable: stored !== undefined });
  if (typeof found === "string") return { key: checked(found, "~/.scorel/auth.json"), credential: "stored key" };
  return { key: found.access, credential: "subscription", subscription: found };
}

function checked(key: string, place: string): string {
  if (!isKey(key)) throw errors.MODEL_KEY_INVALID({ place });
  return key;
}

/** Whether a text can be sent as a key at all. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
