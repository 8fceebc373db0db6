import { errors } from "../errors.ts";
import { sha256Of } from "../files/hash.ts";

/** The hash of a request's body. It distinguishes a repeated request from a different one with the same `messageId`. */
export function bodyHash(body: unknown): string {
  return sha256Of(JSON.stringify(body) ?? "").slice(0, 32);
}

/** Throws MESSAGE_ID_REUSED unless `isSame`: a request with a known `messageId` must be the same as the first one. */
export function assertSameRequest(
  isSame: boolean,
  request: { operation: string; messageId: string | undefined },
): void {
  if (!isSame) throw errors.MESSAGE_ID_REUSED({ operation: request.operation, messageId: request.messageId ?? "" });
}
