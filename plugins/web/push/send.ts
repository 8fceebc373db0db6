import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns";
import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import type { LookupFunction } from "node:net";
import { proxyFor, requestThrough } from "@scorel/kit/net/proxy";
import { isPublic } from "@scorel/kit/net/public-address";
import { authorizationFor } from "./keys.ts";
import { isNamed } from "./services.ts";
import type { Subscription } from "./store.ts";

/** How long a push service keeps a push for a browser that is away, in seconds: a question is seldom of use a day later. */
const KEPT_S = 12 * 60 * 60;
/** How long a push service may take to answer. */
const LIMIT_MS = 10_000;

interface Sender {
  key: string;
  /** Origins of push services that the configuration has named. */
  further: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends a push without any content. Resolves with the status of the answer, whose text is not read. Redirections are not followed: they could
 * lead anywhere.
 */
export async function sendPush({ endpoint, contact }: Subscription, { key, further, env }: Sender): Promise<number> {
  const url = new URL(endpoint);
  const signal = AbortSignal.timeout(LIMIT_MS);
  const options = {
    method: "POST",
    headers: {
      Authorization: authorizationFor(url, key, contact),
      TTL: String(KEPT_S),
      Urgency: "high",
      // A later push replaces one that was not delivered yet.
      Topic: "scorel",
      "Content-Length": "0",
    },
    signal,
    ...(!isNamed(url, further) && { lookup: publicLookup }),
  };
  const proxy = proxyFor(url, env);
  const sending = proxy
    ? await requestThrough(proxy, url, options, signal)
    : (url.protocol === "https:" ? requestTls : requestPlain)(url, options);
  return new Promise((resolve, reject) => {
    sending.on("response", (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sending.on("error", reject);
    sending.end();
  });
}

/** Finds addresses as Node does, and refuses those of this machine and of private networks: a name may lead there. */
const publicLookup: LookupFunction = (host, options, done) =>
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error) return done(error, "", 0);
    const addresses = found as LookupAddress[];
    const inside = addresses.find(({ address }) => !isPublic(address));
    if (inside) return done(new Error(`${host} leads to ${inside.address}, which is not a public address`), "", 0);
    if (options.all) return done(null, addresses);
    const [first] = addresses;
    return done(null, first?.address ?? "", first?.family ?? 0);
  });
