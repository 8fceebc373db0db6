import * as fs from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { behindLink } from "@scorel/kit/files/behind-link";
import type { Lock } from "@scorel/kit/files/lock";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { replaceFile } from "@scorel/kit/files/private";
import { z } from "zod";
import { errors } from "../errors.ts";

const token = z.string().regex(/^[\x21-\x7e]+$/);
const address = z.string().regex(/^https:\/\/[a-z0-9.-]+$/i);

/** Tokens from logging in at a provider's own site: one for requests and one to renew it. */
export const subscriptionSchema = z.looseObject({
  access: token,
  refresh: token,
  /** Milliseconds since the epoch. */
  expires: z.number(),
  /** Base URL for this account, when the provider has several. */
  baseUrl: address.optional(),
});
export type Subscription = z.output<typeof subscriptionSchema>;

/** An API key or a subscription. */
export type Credential = string | Subscription;

/** Credentials that `scorel login` stored, one per provider. */
export type Stored = Readonly<Record<string, Credential>>;

const authFile = z.object({
  keys: z.record(z.string(), z.string()),
  subscriptions: z.record(z.string(), subscriptionSchema).default({}),
});

/** Milliseconds to wait for another process that changes the file. */
const PATIENCE = 10_000;

export function authPath(): string {
  return join(homedir(), ".scorel", "auth.json");
}

/** Reads the stored credentials; empty without the file. Throws MODEL_AUTH_UNREADABLE, or MODEL_AUTH_FILE if it is invalid. */
export function readStored(path = authPath()): Stored {
  const text = readIfPresent(path);
  if (text === undefined) return byProvider({});
  const { success, data } = authFile.safeParse(parsed(text, path));
  if (!success) throw errors.MODEL_AUTH_FILE({ path, reason: "it does not contain keys by provider" });
  return byProvider({ ...data.keys, ...data.subscriptions });
}

/** Without the members of Object.prototype, since users type names of providers. */
function byProvider(stored: Stored): Stored {
  return Object.assign(Object.create(null), stored);
}

/** Returns the secret values of a credential. */
export function secretsOf(credential: Credential): string[] {
  return typeof credential === "string" ? [credential] : [credential.access, credential.refresh];
}

function readIfPresent(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw errors.MODEL_AUTH_UNREADABLE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Parses JSON without the parser's message, which would quote the text and with it a key. */
function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.MODEL_AUTH_FILE({ path, reason: "it is not JSON" });
  }
}

/** Stores a provider's credential; undefined removes it. Returns whether there was one before. */
export async function storeCredential(provider: string, credential: Credential | undefined): Promise<boolean> {
  return (await changeCredential(provider, () => credential)) !== undefined;
}

/**
 * Replaces a provider's credential with what `change` returns (undefined removes it), while holding a lock. Returns the
 * former credential. Only this user may read the file. A link to a file elsewhere is kept. Throws MODEL_AUTH errors.
 */
export async function changeCredential(
  provider: string,
  change: (before: Credential | undefined) => Credential | undefined,
  path = authPath(),
): Promise<Credential | undefined> {
  makeFolder(dirname(path));
  const lock = await lockAuth(`${path}.lock`, PATIENCE);
  try {
    const { [provider]: before, ...others } = readStored(path);
    const after = change(before);
    if (after !== before) replace(path, after === undefined ? others : { ...others, [provider]: after }, lock);
    return before;
  } finally {
    lock.release();
  }
}

/** Milliseconds after which a lock counts as abandoned; longer than any process holds one. */
const ABANDONED = 60_000;

/** Takes a lock beside the file. Waits up to `patience` milliseconds for its holder, then throws MODEL_AUTH_LOCK. */
export async function lockAuth(path: string, patience: number): Promise<Lock> {
  const { takeLock } = await import("@scorel/kit/files/lock");
  const lock = await takeLock(path, patience, { abandonedAfter: ABANDONED }).catch((thrown: unknown) => {
    throw errors.MODEL_AUTH_LOCK({ path, reason: messageOf(thrown) }, { cause: thrown });
  });
  if (!lock) throw errors.MODEL_AUTH_LOCK({ path, reason: "another process holds it" });
  return lock;
}

function replace(path: string, stored: Stored, lock: Lock): void {
  const before = () => {
    if (!lock.holds())
      throw errors.MODEL_AUTH_LOCK({ path: `${path}.lock`, reason: "another process has taken over the lock" });
  };
  replaceFile(behindLink(path), textOf(stored), { durable: true, before });
}

function textOf(stored: Stored): string {
  const entries = Object.entries(stored);
  const keys = Object.fromEntries(entries.filter(([, each]) => typeof each === "string"));
  const subscriptions = Object.fromEntries(entries.filter(([, each]) => typeof each !== "string"));
  const some = Object.keys(subscriptions).length > 0 && { subscriptions };
  return `${JSON.stringify({ version: 1, keys, ...some }, null, 2)}\n`;
}
