import type { ScorelError } from "../values/coded-error.ts";

/** An error's data for a client in another process. Undefined if there is none, or if it cannot be written as JSON, such as a BigInt. */
export function sendableData({ data }: ScorelError): Record<string, unknown> | undefined {
  try {
    return JSON.stringify(data) === "{}" ? undefined : data;
  } catch {
    return undefined;
  }
}
