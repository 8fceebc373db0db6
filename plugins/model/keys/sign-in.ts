import type { OAuthCredentials, OAuthLoginCallbacks } from "@mariozechner/pi-ai/oauth";
import { codeOf, messageOf } from "@scorel/kernel";
import type { SignInDialog } from "../contract.ts";
import { errors } from "../errors.ts";
import { unreachedText } from "../wire/explain.ts";
import { type Subscription, subscriptionSchema } from "./auth-file.ts";
import { type Heard, overWire } from "./sign-in-wire.ts";

/** Milliseconds that a person may take. */
const PATIENCE = 15 * 60_000;

/**
 * Logs in at a provider's own site and returns the tokens without storing them. Throws MODEL_LOGIN_FAILED and
 * MODEL_LOGIN_STOPPED.
 */
export async function signIn(provider: string, dialog: SignInDialog): Promise<Subscription> {
  const heard: Heard = {};
  const limit = AbortSignal.timeout(PATIENCE);
  const signal = AbortSignal.any([dialog.signal, limit]);
  // Keeps the process alive while waiting for the person.
  const awake = setTimeout(() => {}, 2 * PATIENCE);
  try {
    const library = await loadProvider(provider);
    const found = await overWire(heard, signal, () => library.login(callbacks(dialog, signal)));
    signal.throwIfAborted();
    return subscriptionOf(library, found);
  } catch (thrown) {
    if (dialog.signal.aborted) throw errors.MODEL_LOGIN_STOPPED({ provider });
    const reason = limit.aborted ? `it was not finished in ${PATIENCE / 60_000} minutes` : reasonOf(heard, thrown);
    throw errors.MODEL_LOGIN_FAILED({ provider, reason });
  } finally {
    clearTimeout(awake);
  }
}

function callbacks({ show, ask, tell }: SignInDialog, signal: AbortSignal): OAuthLoginCallbacks {
  const answer = async (question: string, mayBeEmpty = false) => {
    for (;;) {
      const given = await orStopped(ask(question, mayBeEmpty), signal);
      if (given.trim() !== "" || mayBeEmpty) return given;
    }
  };
  return {
    onAuth: ({ url, instructions }) => show(url, instructions),
    onPrompt: ({ message, allowEmpty }) => answer(message, allowEmpty),
    onManualCodeInput: () => answer("Or paste the code, or the address that the browser ended at"),
    onProgress: tell,
    signal,
  };
}

/** Rejects when the login is stopped, which makes the library close its callback server. */
function orStopped<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error("stopped"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

type Library = Awaited<ReturnType<typeof loadProvider>>;

/** Variable that would make the library listen for the browser on other interfaces than loopback. */
const CALLBACK_HOST = "PI_OAUTH_CALLBACK_HOST";

export async function loadProvider(provider: string) {
  const { [CALLBACK_HOST]: host } = process.env;
  delete process.env[CALLBACK_HOST];
  try {
    const { getOAuthProvider } = await import("@mariozechner/pi-ai/oauth");
    const found = getOAuthProvider(provider);
    if (!found) throw errors.MODEL_NO_SUBSCRIPTION({ provider });
    return found;
  } finally {
    if (host !== undefined) process.env[CALLBACK_HOST] = host;
  }
}

/** Validates what the library returned and adds the account's base URL. Throws when a token is missing. */
export function subscriptionOf(library: Library, found: OAuthCredentials, before?: Subscription): Subscription {
  const kept = { ...before, ...found, refresh: found.refresh ?? before?.refresh };
  const own = library.modifyModels?.([{ provider: library.id } as never], kept as OAuthCredentials)[0]?.baseUrl;
  return subscriptionSchema.parse({ ...kept, ...(own !== undefined && { baseUrl: own }) });
}

/** Describes a failed login. Does not use the library's message, which may quote tokens. */
export function reasonOf({ host, status, code, unreached }: Heard, thrown: unknown): string {
  if (host !== undefined && unreached !== undefined) return unreachedText(host, unreached);
  if (status !== undefined && (status < 200 || status >= 300))
    return `${host} answered ${status}${code === undefined ? "" : ` (${code})`}`;
  const said = messageOf(thrown);
  if (/state mismatch/i.test(said)) return "the code belongs to another login";
  if (/missing (authorization code|oauth state)/i.test(said)) return "there was no code in what was given";
  if (/EADDRINUSE/.test(codeOf(thrown)))
    return "the port that the browser answers at is taken: is another login running?";
  const [device] = /^Device flow (failed: [a-z_]+|timed out)/.exec(said) ?? [];
  if (device !== undefined)
    return device.replace("Device flow ", "the code was not confirmed: ").replace("failed: ", "");
  return status === undefined ? "nothing was asked of its server" : `the answer of ${host} was not understood`;
}
