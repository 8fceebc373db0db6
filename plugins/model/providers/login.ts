import { messageOf } from "@scorel/kernel";
import type { SignInDialog } from "../contract.ts";
import { errors } from "../errors.ts";
import { isKey } from "../keys/key.ts";
import type { OwnedProvider } from "./provider.ts";

/** Runs the `login` function of a plugin's provider. Returns the key. Throws MODEL_LOGIN_FAILED and MODEL_LOGIN_STOPPED. */
export async function logIn(
  { id: provider, provider: { login } }: OwnedProvider,
  dialog: SignInDialog,
): Promise<string> {
  const failed = (reason: string) => errors.MODEL_LOGIN_FAILED({ provider, reason });
  // The function may throw before it returns a promise.
  const answer = async (): Promise<unknown> => login?.(dialog);
  const key = await answer().catch((thrown: unknown) => {
    throw dialog.signal.aborted ? errors.MODEL_LOGIN_STOPPED({ provider }) : failed(messageOf(thrown));
  });
  if (dialog.signal.aborted) throw errors.MODEL_LOGIN_STOPPED({ provider });
  if (typeof key !== "string" || !isKey(key)) throw failed("its plugin returned no key");
  return key;
}
