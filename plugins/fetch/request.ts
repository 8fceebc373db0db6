import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { proxyFor, requestThrough } from "@scorel/kit/net/proxy";
import { responseTo } from "@scorel/kit/net/response";
import { clause } from "@scorel/kit/text/one-line";
import { parseAddress, shownAddress } from "./address.ts";
import type { FetchConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { lookupFor } from "./lookup.ts";

const HOPS = 5;

/** A successful answer of a server. */
export interface Answer {
  /** The address after redirects. */
  url: URL;
  /** The media type in lower case without parameters; "" if the server names none. */
  type: string;
  charset?: string | undefined;
  /** The body, unpacked. */
  bytes: Buffer;
  /** Whether the body is longer than `bytes`. */
  isCut: boolean;
}

/**
 * Requests an address, and follows redirects on the same host. Any other redirect is returned as `elsewhere`, since a person has
 * approved this host only. Sends no cookies and no logins. Throws FETCH_FAILED and FETCH_STATUS.
 */
export async function request(
  from: URL,
  { timeout, maxBytes }: FetchConfig,
  given: AbortSignal,
): Promise<Answer | { elsewhere: URL }> {
  const time = AbortSignal.timeout(timeout * 1000);
  const signal = AbortSignal.any([time, given]);
  let url = from;
  try {
    for (let hop = 0; hop <= HOPS; hop++) {
      const message = await send(url, signal);
      const next = await redirectOf(message, url);
      if (next === undefined) return await answerOf(message, url, maxBytes);
      if (!isFollowed(url, next)) return { elsewhere: next };
      url = next;
    }
    throw failed(from, `it was redirected more than ${HOPS} times`);
  } catch (thrown) {
    if (given.aborted || thrown instanceof ScorelError) throw thrown;
    const reason = time.aborted ? `it took longer than ${timeout} seconds` : reasonOf(thrown);
    throw failed(url, reason, thrown);
  }
}

/** Whether a redirect stays on the host that was approved, and does not give up encryption. */
export function isFollowed(from: URL, to: URL): boolean {
  return to.host === from.host && !(from.protocol === "https:" && to.protocol === "http:");
}

function failed(url: URL, reason: string, cause?: unknown): ScorelError {
  return errors.FETCH_FAILED({ address: shownAddress(url), reason }, { cause });
}

/** The cause of "fetch failed" says what went wrong. */
function reasonOf(thrown: unknown): string {
  const { cause = thrown } = thrown as { cause?: unknown };
  const code = codeOf(cause, "");
  return REASONS[code] ?? clause(messageOf(cause));
}

const REASONS: Readonly<Record<string, string | undefined>> = {
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  ECONNREFUSED: "nothing accepts connections there",
  ECONNRESET: "the server ended the connection",
};

async function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = {
    "user-agent": "Scorel",
    accept: "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.8, */*;q=0.5",
    "accept-encoding": "gzip, br",
  };
  const proxy = proxyFor(url, process.env);
  const own = proxy ? undefined : lookupFor(url);
  const options = { headers, signal, agent: false, ...(own && { lookup: own }) };
  const { request: open } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const sending = proxy ? await requestThrough(proxy, url, options, signal) : open(url, options);
  return responseTo(sending);
}

/** Where an answer redirects to, if it does. Throws FETCH_STATUS for an answer that is no success. */
async function redirectOf(message: IncomingMessage, url: URL): Promise<URL | undefined> {
  const { statusCode: status = 0, headers } = message;
  if (status >= 200 && status < 300) return undefined;
  message.destroy();
  // Node.js decodes headers as Latin-1, but browsers read this one as UTF-8.
  const location = headers.location && Buffer.from(headers.location, "latin1").toString();
  if (location !== undefined && [301, 302, 303, 307, 308].includes(status)) {
    if (URL.canParse(location, url.href)) return parseAddress(new URL(location, url).href);
    throw failed(url, "it redirects to an invalid address");
  }
  const meaning = STATUS_CODES[status] ?? "unknown";
  throw errors.FETCH_STATUS({ address: shownAddress(url), status, meaning });
}

async function answerOf(message: IncomingMessage, url: URL, maxBytes: number): Promise<Answer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of (await unpacked(message)) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    // Ending the loop ends the connection.
    if (length > maxBytes) break;
  }
  const [type = "", ...parameters] = (message.headers["content-type"] ?? "").split(";");
  const charset = parameters.map((each) => /^\s*charset="?([\w.:-]+)/i.exec(each)?.[1]).find(Boolean);
  return {
    url,
    type: type.trim().toLowerCase(),
    charset,
    bytes: Buffer.concat(pieces).subarray(0, maxBytes),
    isCut: length > maxBytes,
  };
}

/** The body without its content encoding. */
async function unpacked(message: IncomingMessage): Promise<Readable> {
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding === "" || encoding === "identity") return message;
  const { createBrotliDecompress, createGunzip } = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  const unpack = encoding === "br" ? createBrotliDecompress() : createGunzip();
  // An error of either stream is thrown by the loop that reads the other.
  return pipeline(message, unpack, () => {});
}
