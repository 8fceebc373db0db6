import type { AuthProvider, FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { codeOf, messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";

/** Most bytes of one answer, or of one event of a stream. The stream itself may go on for hours. */
const MOST_BYTES = 16 * 1024 * 1024;
/** The error code of the SDK for requests that are lost with their connection. */
const CONNECTION_CLOSED = -32_000;
/** Milliseconds that a server has to end its session. */
const END_SESSION_MS = 1_000;
/** Where an event ends: at an empty line. A line ends with a carriage return, a line feed, or both. */
const EVENT_ENDS = ["\n\n", "\n\r", "\r\r"];

/** Tokens for the requests to a URL. */
export interface TokenProvider extends AuthProvider {
  /** Called with the answer to a request that the tokens do not allow. An error that it throws becomes that of the request. */
  onForbidden(answer: Response): Promise<void>;
}

/** Makes a transport to a URL. Its headers are sent to that origin only, and redirects to others fail. The SDK is loaded here. */
export async function httpTransport(
  url: string,
  headers: Readonly<Record<string, string>>,
  authProvider?: TokenProvider,
): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: authProvider ? fetchWith(authProvider) : limitedFetch,
    ...(authProvider && { authProvider }),
  });
  endRequestsWithStream(transport);
  return transport;
}

/**
 * Makes a request fail if its event stream ends without an answer. The transport continues a stream whose events have ids; a request whose
 * stream cannot be continued would wait until its time limit.
 */
function endRequestsWithStream(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (Array.isArray(message) || !("id" in message && "method" in message)) return send(message, options);
    const error = { code: CONNECTION_CLOSED, message: errors.MCP_STREAM_ENDED().message };
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      // Ignored if the request was answered.
      transport.onmessage?.({ jsonrpc: "2.0", id: message.id, error });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
}

function fetchWith(tokens: TokenProvider): FetchLike {
  return async (url, init) => {
    const answer = await limitedFetch(url, init);
    if (answer.status === 403) await tokens.onForbidden(answer);
    return answer;
  };
}

/** Asks the server to end the session, if there is one. A server that does not answer is ignored. */
export async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_SESSION_MS);
  });
  // A server that is gone has ended the session, too.
  await Promise.race([transport.terminateSession().catch(() => {}), late]);
  clearTimeout(timer);
}

/** Describes for people why a URL could not be used. */
export function httpReason(thrown: unknown): string {
  const { status, cause } = thrown as { status?: unknown; cause?: unknown };
  if (status === 401 || status === 403)
    return `it refused the request (${status}); it may need a header with a key, as in headers = { Authorization = "Bearer …" }`;
  if (typeof status === "number")
    return `its address answered with HTTP ${status}${status === 404 ? ", as where there is no server" : ""}`;
  const detail = codeOf(cause, cause instanceof Error ? cause.message : "");
  return detail === "" ? messageOf(thrown) : `${messageOf(thrown)} (${detail})`;
}

/** Whether the server has answered that it requires a key or token, or refuses the given one. */
export function isUnauthorized(thrown: unknown): boolean {
  return (thrown as { status?: unknown } | null)?.status === 401;
}

/** Whether the server no longer knows the session, for example after a restart. */
export function isForgotten(thrown: unknown): boolean {
  return (thrown as { status?: unknown } | null)?.status === 404;
}

const PROXY_VARIABLES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/** Fetches a URL, through a proxy if Scorel's environment names one for it. */
async function reach(url: URL, init?: RequestInit): Promise<Response> {
  if (!PROXY_VARIABLES.some((name) => process.env[name])) return fetch(url, init);
  const [{ proxyFor }, { fetchThrough }] = await Promise.all([import("@scorel/kit/net/proxy"), import("./proxied.ts")]);
  const proxy = proxyFor(url, process.env);
  return proxy ? fetchThrough(proxy, url, init) : fetch(url, init);
}

/** `fetch` with limits on the size of an answer, and of an event of a stream. */
export const limitedFetch: FetchLike = async (url, init) => {
  const response = await reach(new URL(url), init);
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  const { status, statusText, headers } = response;
  const limited = new Response(response.body.pipeThrough(limit(isStream)), { status, statusText, headers });
  // The transport reads `url` to detect redirects.
  Object.defineProperty(limited, "url", { value: response.url });
  return limited;
};

/** Passes bytes on. Fails if an answer, or an event of a stream, is too long. */
function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let last = new Uint8Array();
  return new TransformStream({
    transform(chunk, controller) {
      // An empty line may begin in the chunk before.
      const seen = Buffer.concat([last, chunk]);
      last = seen.subarray(-1);
      const end = isStream ? Math.max(...EVENT_ENDS.map((each) => seen.lastIndexOf(each))) : -1;
      size = end < 0 ? size + chunk.length : seen.length - end;
      if (size > MOST_BYTES)
        controller.error(new Error(errors.MCP_MESSAGE_SIZE({ megabytes: MOST_BYTES / 1024 / 1024 }).message));
      else controller.enqueue(chunk);
    },
  });
}
