import { createHash } from "node:crypto";
import { Stored } from "@scorel/kit/files/stored";
import { z } from "zod";
import { errors } from "../errors.ts";
import { newPushKey, publicPartOf } from "./keys.ts";

/** The most browsers that are subscribed. A new one beyond that replaces the oldest. */
const MOST = 32;

export const FILE = "push.json";

const subscription = z.strictObject({
  id: z.string(),
  /** The URL to which pushes are sent. Everybody who knows it and the key can send some. */
  endpoint: z.string(),
  /** Id of the page's token. */
  page: z.string(),
  /** URL under which the people of the host can be reached. */
  contact: z.string(),
});
const schema = z.strictObject({
  key: z.string().optional(),
  subscriptions: z.array(subscription).max(MOST),
});

/** A browser that has subscribed to pushes. */
export type Subscription = z.infer<typeof subscription>;

const stored = new Stored<z.infer<typeof schema>>({
  folder: "host",
  file: FILE,
  schema,
  empty: { subscriptions: [] },
  failed: errors.WEB_PUSH,
});

/** Reads the subscriptions. Throws WEB_PUSH. */
export function readSubscriptions(): readonly Subscription[] {
  return stored.read().subscriptions;
}

/** The key by which push services know this host. It is made when it is first asked for. */
export async function pushKey(): Promise<string> {
  const { key } = await stored.change((now) => (now.key === undefined ? { ...now, key: newPushKey() } : now));
  return key as string;
}

/** The public part of the key. */
export async function publicPushKey(): Promise<string> {
  return publicPartOf(await pushKey());
}

/** Adds a browser. Replaces its earlier subscription. */
export async function addSubscription(given: Omit<Subscription, "id">): Promise<Subscription> {
  const id = createHash("sha256").update(given.endpoint).digest("base64url").slice(0, 16);
  const added = { id, ...given };
  await stored.change(({ subscriptions, ...rest }) => {
    const others = subscriptions.filter((each) => each.id !== id);
    return { ...rest, subscriptions: [...others, added].slice(-MOST) };
  });
  return added;
}

/** Removes browsers. Returns whether there were any. */
export async function removeSubscriptions(ids: readonly string[]): Promise<boolean> {
  let found = false;
  await stored.change((now) => {
    const left = now.subscriptions.filter(({ id }) => !ids.includes(id));
    found = left.length < now.subscriptions.length;
    return found ? { ...now, subscriptions: left } : now;
  });
  return found;
}
