import { errors } from "./errors.ts";
import type { Choice } from "./resolve.ts";

/** Sent to a server on this machine that asks for no key; the protocol wants one. */
const NO_KEY = "none";

/** The key for a model, read now; throws MODEL_KEY_ errors that name the variable and never its value. */
export function keyFor(
  { model, keyVariables, storedKey }: Choice,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const [usual] = keyVariables;
  if (usual === undefined) return NO_KEY;
  const variable = keyVariables.find((name) => env[name]);
  const key = variable === undefined ? storedKey?.() : env[variable];
  if (key === undefined)
    throw errors.MODEL_KEY_MISSING({ provider: model.provider, variable: usual, storable: storedKey !== undefined });
  if (!isKey(key)) throw errors.MODEL_KEY_INVALID({ place: variable ?? "~/.scorel/auth.json" });
  return key;
}

/** Whether a text can be sent as a key at all. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
