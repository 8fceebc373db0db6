import { authPath, changeCredential, lockAuth, readStored, type Subscription } from "./auth-file.ts";
import { errors } from "./errors.ts";
import { loadProvider, reasonOf, subscriptionOf } from "./sign-in.ts";
import { type Heard, overWire } from "./sign-in-wire.ts";
import { isDue } from "./subscriptions.ts";

/** Longer than a renewal may take, in milliseconds. */
const PATIENCE = 60_000;

/**
 * A provider's subscription with a token that lasts. Of several who need it at once, in this process and others, one
 * renews it and the rest find it renewed. Throws MODEL_LOGIN_ENDED, and keeps what is stored, when it cannot be renewed.
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

async function renew(provider: string, stored: Subscription): Promise<Subscription> {
  const heard: Heard = {};
  try {
    const library = await loadProvider(provider);
    // Not ended by the turn's own signal: the answer may be the only place where the next token is told.
    const never = new AbortController().signal;
    const found = await overWire(heard, never, () => library.refreshToken(stored));
    const next = subscriptionOf(library, found, stored);
    // Who logged in or out meanwhile knows better.
    await changeCredential(provider, (now) => (isSame(now, stored) ? next : now));
    return next;
  } catch (thrown) {
    if (stored.expires > Date.now() && !isRefusal(heard)) return stored;
    const reason = reasonOf(heard, thrown);
    throw isRefusal(heard)
      ? errors.MODEL_LOGIN_ENDED({ provider, reason })
      : errors.MODEL_LOGIN_NOT_RENEWED({ provider, reason });
  }
}

function isRefusal({ status = 0 }: Heard): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function isSame(now: unknown, stored: Subscription): boolean {
  return typeof now === "object" && (now as Subscription).refresh === stored.refresh;
}
