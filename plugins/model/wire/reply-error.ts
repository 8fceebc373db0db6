import { asObject } from "./event-text.ts";

/** An error inside a reply with status 200. */
export interface ToldError {
  /** The HTTP status that it names. */
  status?: number;
  /** The error as JSON. */
  said: string;
}

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
  const error = asObject(given);
  if (error && Object.keys(error).length > 0) return error;
  const isBare = data.choices === undefined && data.candidates === undefined && asStatus(data.code) !== undefined;
  return data.type === "error" || data.object === "error" || (isBare && "message" in data) ? data : undefined;
}

function asStatus(value: unknown): number | undefined {
  const status = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  return status >= 400 && status < 600 ? Math.trunc(status) : undefined;
}
