import { inspect } from "node:util";
import { ScorelError } from "./coded-error.ts";

/** The data of a log line as text; an error has its stack if nobody has foreseen it. */
export function logData(data: unknown): string {
  if (data instanceof ScorelError) return data.message;
  if (data instanceof Error) return data.stack ?? data.message;
  return typeof data === "string" ? data : inspect(data, { breakLength: Number.POSITIVE_INFINITY });
}
