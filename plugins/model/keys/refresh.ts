import type { RequestFailure } from "../contract.ts";
import { errors } from "../errors.ts";
import { authPath, changeCredential, lockAuth, readStored, type Subscription } from "./auth-file.ts";
import { loadProvider, reasonOf, subscriptionOf } from "./sign-in.ts";
import { type Heard, overWire } from "./sign-in-wire.ts";
import { isDue } from "./subscriptions.ts";

/** Milliseconds to wait for another caller that renews the token; longer than a renewal takes. */
const PATIENCE = 60_000;

/**
 * Returns a subscription with a valid token. If several callers need it, also in other processes, one of them renews it and the others use
 * the result. Throws MODEL_LOGIN_GONE if none is stored, and MODEL_LOGIN_ENDED or MODEL_LOGIN_NOT_RENEWED; the stored subscription is
 * then not changed. Throws MODEL_AUTH errors or a file system error if the new token cannot be stored; the next call stores it.
 */
export async function renewed(provider: string): Promise<Subscription> {
  const lock = await lockAuth(`${authPath()}.${provider}.lock`, PATIENCE);
  try {
    const stored = readStored()[provider];
    if (stored === undefined || typeof stored === "string") throw errors.MODEL_LOGIN_GONE({ provider });
    return isDue(stored) ? await renew(provider, stored) : stored;
  } finally {
    lock.release();
  }
}

/** Renewed subscriptions that could not be stored, by the refresh token that they replace, which is accepted only once. */
const unstored = new Map<string, Subscription>();

async function renew(provider: string, stored: Subscription): Promise<Subscription> {
  const kept = unstored.get(stored.refresh);
  const next = kept ?? (await requested(provider, stored));
  if (next === stored) return stored;
  unstored.set(stored.refresh, next);
  // If the user logged in or out in the meantime, keeps that credential.
  await changeCredential(provider, (now) => (isSame(now, stored) ? next : now));
  unstored.delete(stored.refresh);
  return kept && isDue(kept) ? renew(provider, kept) : next;
}

/** Requests the next token. Returns the stored subscription if its token is still valid and the server does not refuse it. */
async function requested(provider: string, stored: Subscription): Promise<Subscription> {
  const heard: Heard = {};
  try {
    const library = await loadProvider(provider);
    // Must not be aborted with the turn, because the answer may be the only copy of the next refresh token.
    const never = new AbortController().signal;
    const found = await overWire(heard, never, () => library.refreshToken(stored));
    return subscriptionOf(library, found, stored);
  } catch (thrown) {
    if (stored.expires > Date.now() && !isRefusal(heard)) return stored;
    const reason = reasonOf(heard, thrown);
    if (isRefusal(heard)) throw errors.MODEL_LOGIN_ENDED({ provider, reason });
    throw errors.MODEL_LOGIN_NOT_RENEWED({ provider, reason, failure: failureOf(heard) });
  }
}

function isRefusal({ status = 0 }: Heard): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** The status, or the reason why no server was reached. The agent decides by these whether to try again. */
function failureOf({ status, unreached }: Heard): RequestFailure {
  return { ...(status !== undefined && { status }), ...(unreached !== undefined && { unreached }) };
}

function isSame(now: unknown, stored: Subscription): boolean {
  return typeof now === "object" && (now as Subscription).refresh === stored.refresh;
}
