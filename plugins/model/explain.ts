import type { Wire } from "./fetch.ts";

/** Says what failed so that a person can read it: what the wire knows, else the library's message without its JSON. */
export function explained(message: string, baseUrl: string, wire: Wire): string {
  const { unreached, refusal, status, said: heard, told } = wire;
  if (refusal !== undefined) return refusal;
  if (unreached !== undefined) return `connection error: ${new URL(baseUrl).host} was not reached (${unreached})`;
  const isCut = /ended before message_stop|Incomplete JSON segment|ended without a finish marker/.test(message);
  if (isCut && told === undefined)
    return message.startsWith("empty reply") ? message : "stream ended without a finish marker";
  if (message === "terminated") return "connection closed before the reply was complete";
  const said = readable(heard ?? (isCut && told !== undefined ? told : message));
  return status === undefined || said.includes(`${status}`) ? said : `${status} ${said}`;
}

/** `529 {"error":{"message":"overloaded"}}` and the like, as `529 overloaded`. */
function readable(message: string): string {
  const start = message.indexOf("{");
  const inner = start < 0 ? undefined : innermost(message.slice(start));
  if (!inner) return message;
  const before = message.slice(0, start).replace(/got status: \S+\.\s*$/, "");
  const kind = [inner.code, inner.status ?? inner.type].filter(
    (part) => part !== undefined && !before.includes(`${part}`),
  );
  return `${before}${kind.length > 0 ? `${kind.join(" ")}: ` : ""}${inner.message}`;
}

interface ProviderError {
  message: string;
  code?: string | number;
  status?: string;
  type?: string;
}

/** Providers wrap their error in `error`, and some wrap a whole JSON text in its message. */
function innermost(text: string): ProviderError | undefined {
  const error = errorIn(text);
  return error && (innermost(error.message) ?? error);
}

function errorIn(text: string): ProviderError | undefined {
  try {
    const parsed = JSON.parse(text) as { error?: ProviderError } & ProviderError;
    const error = parsed.error ?? parsed;
    return typeof error.message === "string" ? error : undefined;
  } catch {
    // Not JSON: the message says it in its own words.
    return undefined;
  }
}
