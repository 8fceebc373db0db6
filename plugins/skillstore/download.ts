import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { proxyFor, requestThrough } from "@scorel/kit/net/proxy";
import { responseTo } from "@scorel/kit/net/response";
import { shownUrl } from "./address.ts";
import type { Reach } from "./contract.ts";
import { errors } from "./errors.ts";
import { isAllowed, type Lookup, type Pinned, pinnedTo } from "./reach.ts";

const HOPS = 5;
const SECONDS = 30;
export const LARGEST = 64 * 1024 * 1024;

/** The settings of a download. */
export interface DownloadOptions extends Reach {
  lookup?: Lookup;
  /** The time limit of the whole download in milliseconds. */
  time?: number;
  largest?: number;
}

/**
 * Downloads an address to a new file, following redirects; returns its sha256 and size. Each host is looked up once, checked,
 * and contacted at exactly those addresses, so that DNS cannot change in between. Throws SKILLSTORE errors.
 */
export async function download(
  from: URL,
  into: string,
  settings: DownloadOptions,
): Promise<{ sha256: string; bytes: number }> {
  const time = AbortSignal.timeout(settings.time ?? SECONDS * 1000);
  const signal = settings.signal ? AbortSignal.any([time, settings.signal]) : time;
  try {
    return await written(await followRedirects(from, { ...settings, signal }), into, settings.largest ?? LARGEST);
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.SKILLSTORE_FETCH(
      { from: shownUrl(from), reason: reasonOf(thrown, time, settings) },
      { cause: thrown },
    );
  }
}

function reasonOf(thrown: unknown, time: AbortSignal, { signal, time: given }: DownloadOptions): string {
  if (time.aborted) return `it took longer than ${(given ?? SECONDS * 1000) / 1000} seconds`;
  if (signal?.aborted) return "it was interrupted";
  // The cause of "fetch failed" says what went wrong.
  const { cause } = thrown as { cause?: unknown };
  const code = codeOf(thrown, codeOf(cause, ""));
  return code === "" ? messageOf(cause ?? thrown) : `the server cannot be reached (${code})`;
}

async function followRedirects(from: URL, settings: DownloadOptions): Promise<IncomingMessage> {
  let url = from;
  for (let hop = 0; hop <= HOPS; hop++) {
    const answer = await ask(url, settings);
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return answer;
    answer.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw errors.SKILLSTORE_FETCH({ from: shownUrl(from), reason: `${url.host} answered ${statusCode}` });
    url = nextOf(headers.location, url, from);
  }
  throw errors.SKILLSTORE_FETCH({ from: shownUrl(from), reason: `it was redirected more than ${HOPS} times` });
}

/** The target of a redirect. Its text is never shown, since it is untrusted and may contain a key. */
function nextOf(location: string, url: URL, from: URL): URL {
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (next && /^https?:$/.test(next.protocol) && next.username === "" && next.password === "") return next;
  throw errors.SKILLSTORE_FETCH({ from: shownUrl(from), reason: `${url.host} redirected to an invalid address` });
}

async function ask(url: URL, settings: DownloadOptions): Promise<IncomingMessage> {
  const isOurs = isAllowed(url, settings.allowHosts);
  if (url.protocol !== "https:" && !isOurs)
    throw errors.SKILLSTORE_HOST({ host: url.host, reason: "only https:// is used" });
  const options: RequestOptions = {
    headers: { "user-agent": "scorel", accept: "*/*", "accept-encoding": "identity" },
    ...(settings.signal && { signal: settings.signal }),
  };
  const proxy = proxyFor(url, settings.env ?? process.env);
  // A proxy resolves names itself, and only it may know a host that the user allowed.
  const pinned = proxy && isOurs ? [] : await pin(url, settings, proxy !== undefined);
  const request = proxy
    ? await requestThrough(proxy, url, options, settings.signal, pinned[0]?.address)
    : await requestTo(url, pinned, options);
  return await responseTo(request);
}

async function pin(url: URL, { allowHosts, lookup, signal }: DownloadOptions, isProxied: boolean): Promise<Pinned[]> {
  try {
    return await beforeEnd(pinnedTo(url, allowHosts, lookup), signal);
  } catch (thrown) {
    if (!isProxied || thrown instanceof ScorelError || signal?.aborted) throw thrown;
    const reason = `its address cannot be looked up here (${codeOf(thrown)}), only by the proxy`;
    throw errors.SKILLSTORE_HOST({ host: url.host, reason }, { cause: thrown });
  }
}

async function requestTo(url: URL, pinned: readonly Pinned[], options: RequestOptions): Promise<ClientRequest> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  // Uses no agent, so that no existing connection is reused, and verifies certificates whatever the environment says.
  return request(url, {
    ...options,
    agent: false,
    lookup: lookupOf(pinned),
    rejectUnauthorized: true,
  } as RequestOptions);
}

function lookupOf(pinned: readonly Pinned[]): LookupFunction {
  return (_, { all }, callback) => {
    const [{ address, family }] = pinned as [Pinned];
    if (all) callback(null, [...pinned]);
    else callback(null, address, family);
  };
}

/** Stops waiting on abort, since a DNS lookup cannot be cancelled. */
function beforeEnd<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}

function write(fd: number, piece: Buffer): void {
  try {
    for (let done = 0; done < piece.length; ) done += writeSync(fd, piece, done);
  } catch (thrown) {
    throw errors.SKILLSTORE_DISK({ reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Writes the response to a file. The limit applies to received bytes; fewer than announced is a connection error. */
async function written(answer: IncomingMessage, into: string, largest: number) {
  const tooLarge = () => errors.SKILLSTORE_LARGE({ megabytes: largest / 1024 / 1024 });
  const fd = openSync(into, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    if (Number(answer.headers["content-length"] ?? 0) > largest) throw tooLarge();
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > largest) throw tooLarge();
      hash.update(piece);
      write(fd, piece);
    }
  } finally {
    answer.destroy();
    closeSync(fd);
  }
  return { sha256: hash.digest("hex"), bytes };
}
