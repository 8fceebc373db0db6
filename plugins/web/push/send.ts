import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns";
import { request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import type { LookupFunction } from "node:net";
import { proxyFor, requestThrough } from "@scorel/kit/net/proxy";
import { isPublic } from "@scorel/kit/net/public-address";
import { responseTo } from "@scorel/kit/net/response";
import { authorizationFor } from "./keys.ts";
import { isNamed } from "./services.ts";
import type { Subscription } from "./store.ts";

/** Seconds for which a push service keeps a push for a browser that is offline. A question is seldom of use a day later. */
const KEPT_S = 12 * 60 * 60;
/** Milliseconds that a push service may take to answer. */
const LIMIT_MS = 10_000;

interface Sender {
  key: string;
  /** Origins of push services from the configuration. */
  further: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Sends a push without content. Resolves with the status of the answer. Redirects are not followed, since they could lead anywhere. */
export async function sendPush({ endpoint, contact }: Subscription, { key, further, env }: Sender): Promise<number> {
  const url = new URL(endpoint);
  const signal = AbortSignal.timeout(LIMIT_MS);
  const options = {
    method: "POST",
    headers: {
      Authorization: authorizationFor(url, key, contact),
      TTL: String(KEPT_S),
      Urgency: "high",
      // A push that was not delivered yet is replaced by a later one.
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
  const answer = await responseTo(sending);
  answer.destroy();
  return answer.statusCode ?? 0;
}

/** Resolves names as Node.js does, but refuses addresses of this computer and of private networks, to which a name may lead. */
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
