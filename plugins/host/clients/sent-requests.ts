import { assertSameRequest, bodyHash } from "@scorel/kit/session/message-id";
import type { Sessions } from "../sessions/sessions.ts";

/** Number of requests that are remembered, enough for the retries of all clients. */
const REMEMBERED = 4_096;

/** What was asked of each host with the latest `messageId`s. */
const sent = new WeakMap<Sessions, Map<string, string>>();

/**
 * Carries a request out, unless its `messageId` was used for another one of the same operation in the session: throws
 * MESSAGE_ID_REUSED. Holds for every operation that changes something and has a `messageId` among its params. That a repetition has
 * no further effect is up to the operation, which finds in the log what was done before the host was started, too.
 */
export async function guardMessageId<R>(
  { operation, readOnly }: { operation: string; readOnly?: boolean | undefined },
  params: unknown,
  sessions: Sessions,
  run: () => R | Promise<R>,
): Promise<R> {
  const { sessionId, messageId, ...body } = params as { sessionId?: unknown; messageId?: unknown };
  if (readOnly || typeof messageId !== "string") return run();
  const id = typeof sessionId === "string" ? sessions.resolve(sessionId) : "";
  const key = JSON.stringify([operation, id, messageId]);
  const hash = bodyHash(body);
  const known = requestsOf(sessions);
  const first = known.get(key);
  assertSameRequest(first === undefined || first === hash, { operation, messageId });
  if (first === undefined) remember(known, key, hash);
  try {
    return await run();
  } catch (thrown) {
    // Nothing was done, so the id may be used for another attempt.
    if (first === undefined) known.delete(key);
    throw thrown;
  }
}

function requestsOf(sessions: Sessions): Map<string, string> {
  const known = sent.get(sessions) ?? new Map<string, string>();
  sent.set(sessions, known);
  return known;
}

function remember(known: Map<string, string>, key: string, hash: string): void {
  known.set(key, hash);
  for (const oldest of known.keys()) {
    if (known.size <= REMEMBERED) return;
    known.delete(oldest);
  }
}
