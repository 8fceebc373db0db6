import { errors } from "../errors.ts";
import { sha256Of } from "../files/hash.ts";

/** Identifies what was sent with a `messageId`, so that the same request can be told from another one with the same id. */
export function bodyHash(body: unknown): string {
  return sha256Of(JSON.stringify(body) ?? "").slice(0, 32);
}

/** Throws MESSAGE_ID_REUSED unless a request with a known `messageId` is the one that it was first sent with. */
export function assertSameRequest(
  isSame: boolean,
  request: { operation: string; messageId: string | undefined },
): void {
  if (!isSame) throw errors.MESSAGE_ID_REUSED({ operation: request.operation, messageId: request.messageId ?? "" });
}
