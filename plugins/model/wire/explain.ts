import type { Wire } from "./fetch.ts";

/** The most characters of an error message, since a body may be a whole page. */
const LONGEST = 600;

/** Cuts a long error message. Must follow the redaction, which does not recognise a part of a key. */
export function cutMessage(message: string): string {
  return message.length > LONGEST ? `${message.slice(0, LONGEST).trimEnd()}…` : message;
}

/** Says why no answer of a host could be read, by the code of the failure. Codes of Node's HTTP parser begin with `HPE_`. */
export function unreachedText(host: string, code: string): string {
  if (code === "HPE_HEADER_OVERFLOW") return `the headers of the answer of ${host} are too large (${code})`;
  return code.startsWith("HPE_")
    ? `the answer of ${host} is not valid HTTP (${code})`
    : `cannot reach ${host} (${code})`;
}

/** Says what to check when a server of the user's own refuses the connection. */
export function adviceOnSilence(host: string): string {
  return `Nothing listens at ${host}: is the server running, and the port in baseUrl right?`;
}

/** Says what to do about a server's certificate, by the code of the failure; undefined if the certificate is not the reason. */
export function adviceOnCertificate(host: string, code: string): string | undefined {
  if (/ALTNAME/.test(code)) return `The certificate of ${host} is for another name: is baseUrl right?`;
  if (code === "CERT_HAS_EXPIRED")
    return `The certificate of ${host} has expired, or the clock of this computer is wrong.`;
  if (!/CERT|SIGNATURE|ISSUER/.test(code)) return undefined;
  return `Node.js does not trust the certificate of ${host}. If it is the right server, or your network has a proxy, put the path of the certificate that signed it into NODE_EXTRA_CA_CERTS.`;
}

/** Returns a readable error message: the wire's own knowledge, else the library's message without its JSON. */
export function explained(message: string, baseUrl: string, wire: Wire): string {
  const { unreached, refusal, status, said: heard, told } = wire;
  if (refusal !== undefined) return refusal;
  if (unreached !== undefined) return unreachedText(new URL(baseUrl).host, unreached);
  const isCut = /ended before message_stop|Incomplete JSON segment|ended without a finish marker/.test(message);
  if (isCut && told === undefined)
    return message.startsWith("empty reply") ? message : "stream ended without a finish marker";
  if (heard === undefined && told === undefined && badJson.test(message))
    return `the answer of ${new URL(baseUrl).host} is not valid JSON (${message})`;
  if (message === "terminated") return "connection closed before the reply was complete";
  const isVague = isCut || message === "An unknown error occurred";
  const said = readable(heard ?? (isVague && told !== undefined ? told : message));
  return status === undefined || said.includes(`${status}`) ? said : `${status} ${said}`;
}

/** Matches the error messages of JSON parsers. */
const badJson = /\bin JSON at position \d+|is not valid JSON|Unexpected end of JSON input/;

/** Shortens `529 {"error":{"message":"overloaded"}}` to `529 overloaded`. */
function readable(message: string): string {
  const start = message.indexOf("{");
  const inner = start < 0 ? undefined : innermost(message.slice(start));
  if (!inner) return unquoted(message);
  const before = message.slice(0, start).replace(/got status: \S+\.\s*$/, "");
  const kind = [inner.code, inner.status ?? inner.type].filter(
    (part) => part !== undefined && !before.includes(`${part}`),
  );
  return `${before}${kind.length > 0 ? `${kind.join(" ")}: ` : ""}${inner.message}`;
}

/** Unquotes an error that is a JSON string, such as `404 "model \\"x\\" not found"`. */
function unquoted(message: string): string {
  const [, before = "", text] = /^(\d{3} )?("(?:[^"\\]|\\.)*")$/s.exec(message) ?? [];
  if (text === undefined) return message;
  try {
    return `${before}${JSON.parse(text)}`;
  } catch {
    // Not JSON, so leave it as it is.
    return message;
  }
}

interface ProviderError {
  message: string;
  code?: string | number;
  status?: string;
  type?: string;
}

/** Unwraps nested errors: in `error`, or as a JSON text inside the message. */
function innermost(text: string): ProviderError | undefined {
  const error = errorIn(text);
  return error && (innermost(error.message) ?? error);
}

function errorIn(text: string): ProviderError | undefined {
  try {
    const parsed = JSON.parse(text) as { error?: ProviderError | string } & ProviderError;
    const error = typeof parsed.error === "string" ? { message: parsed.error } : (parsed.error ?? parsed);
    return typeof error.message === "string" ? error : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}
