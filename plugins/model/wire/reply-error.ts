import { asObject } from "./event-text.ts";

/** An error inside a reply with status 200. */
export interface ToldError {
  /** The HTTP status that it names. */
  status?: number;
  /** The error as JSON. */
  said: string;
}

/** Endings of Anthropic, in small letters, and all endings of Google but those that name no fault. */
const BAD_ENDINGS = /^(?:refusal|sensitive|(?!STOP$|MAX_TOKENS$|FINISH_REASON_UNSPECIFIED$)[A-Z_]+)$/;

/** Finds an error in an event's data, in any of the forms that servers use. */
export function errorIn(data: Record<string, unknown>): ToldError | undefined {
  const error = givenError(data);
  if (error === undefined) return undefined;
  const status = [error.code, error.status, error.status_code, data.code, data.status].map(asStatus).find(Number);
  return { said: JSON.stringify({ error }), ...(status !== undefined && { status }) };
}

function givenError(data: Record<string, unknown>): Record<string, unknown> | undefined {
  const given = data.error ?? asObject(data.response)?.error;
  if (typeof given === "string" && given !== "") return { message: given };
  const error = asObject(given) ?? badEnding(data);
  if (error && Object.keys(error).length > 0) return error;
  const isBare = data.choices === undefined && data.candidates === undefined && asStatus(data.code) !== undefined;
  return data.type === "error" || data.object === "error" || (isBare && "message" in data) ? data : undefined;
}

/** How providers end a reply that they refuse or cannot finish. The libraries report such an ending without saying which one it is. */
function badEnding({ delta, candidates, promptFeedback }: Record<string, unknown>): { message: string } | undefined {
  const { blockReason } = asObject(promptFeedback) ?? {};
  if (typeof blockReason === "string") return { message: `the provider blocked the request (${blockReason})` };
  const reason =
    asObject(delta)?.stop_reason ?? asObject(Array.isArray(candidates) ? candidates[0] : undefined)?.finishReason;
  return typeof reason === "string" && BAD_ENDINGS.test(reason)
    ? { message: `the reply ended with ${reason}` }
    : undefined;
}

function asStatus(value: unknown): number | undefined {
  const status = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  return status >= 400 && status < 600 ? Math.trunc(status) : undefined;
}
