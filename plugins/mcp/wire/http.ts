import type { AuthProvider, FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { codeOf, messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";

/** Bytes of one answer, or of one line of a stream of events, which may go on for hours. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Milliseconds that a server gets to forget its session. */
const FAREWELL_MS = 1_000;
const NEWLINE = 10;

/** Tokens for the requests to an address. */
export interface TokenProvider extends AuthProvider {
  /** Gets the answer to a request that the tokens do not allow. What it throws is the error of the request. */
  onForbidden(answer: Response): Promise<void>;
}

/**
 * Messages to and from an address. Its headers go to that origin only: other redirects fail. The SDK is loaded here.
 */
export async function httpTransport(
  url: string,
  headers: Readonly<Record<string, string>>,
  authProvider?: TokenProvider,
): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: authProvider ? fetchWith(authProvider) : limitedFetch,
    ...(authProvider && { authProvider }),
  });
}

function fetchWith(tokens: TokenProvider): FetchLike {
  return async (url, init) => {
    const answer = await limitedFetch(url, init);
    if (answer.status === 403) await tokens.onForbidden(answer);
    return answer;
  };
}

/** Tells the server that its session is over, if it has one; one that does not answer is left alone. */
export async function sayFarewell(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FAREWELL_MS);
  });
  // A server that is gone has no session either.
  await Promise.race([transport.terminateSession().catch(() => {}), late]);
  clearTimeout(timer);
}

/** Why an address could not be used, in plain words. */
export function httpReason(thrown: unknown): string {
  const { status, cause } = thrown as { status?: unknown; cause?: unknown };
  if (status === 401 || status === 403)
    return `it refused the request (${status}); it may need a header with a key, as in headers = { Authorization = "Bearer …" }`;
  if (typeof status === "number")
    return `its address answered with HTTP ${status}${status === 404 ? ", as where there is no server" : ""}`;
  const detail = codeOf(cause, cause instanceof Error ? cause.message : "");
  return detail === "" ? messageOf(thrown) : `${messageOf(thrown)} (${detail})`;
}

/** Whether a server at an address has refused the key or the token, or wants one. */
export function isUnauthorized(thrown: unknown): boolean {
  return (thrown as { status?: unknown } | null)?.status === 401;
}

/** Whether a server at an address has forgotten its session, as after it was started anew. */
export function isForgotten(thrown: unknown): boolean {
  return (thrown as { status?: unknown } | null)?.status === 404;
}

const PROXY_VARIABLES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/** Fetches, through the proxy that the environment of Scorel names for the address, if it does. */
async function reach(url: URL, init?: RequestInit): Promise<Response> {
  if (!PROXY_VARIABLES.some((name) => process.env[name])) return fetch(url, init);
  const [{ proxyFor }, { fetchThrough }] = await Promise.all([import("@scorel/kit/net/proxy"), import("./proxied.ts")]);
  const proxy = proxyFor(url, process.env);
  return proxy ? fetchThrough(proxy, url, init) : fetch(url, init);
}

/** Fetches with limits on the size of an answer, and of a line of a stream. */
export const limitedFetch: FetchLike = async (url, init) => {
  const response = await reach(new URL(url), init);
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const { status, statusText, headers } = response;
  const limited = new Response(response.body.pipeThrough(limit(isStream)), { status, statusText, headers });
  // The transport looks at it to tell redirects.
  Object.defineProperty(limited, "url", { value: response.url });
  return limited;
};

/** Passes bytes on, and breaks off an answer, or a line of a stream, that is too long. */
function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isStream ? chunk.lastIndexOf(NEWLINE) : -1;
      size = end < 0 ? size + chunk.length : chunk.length - end;
      if (size > MOST_BYTES)
        controller.error(new Error(errors.MCP_MESSAGE_SIZE({ megabytes: MOST_BYTES / 1024 / 1024 }).message));
      else controller.enqueue(chunk);
    },
  });
}
