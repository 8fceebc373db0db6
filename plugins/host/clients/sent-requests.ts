import { assertSameRequest, bodyHash } from "@scorel/kit/session/message-id";
import type { Sessions } from "../sessions/sessions.ts";

/** Number of requests to remember, which is enough for the retries of all clients. */
const REMEMBERED = 4_096;

/** For each host, the hashes of the latest requests that had a `messageId`. */
const sent = new WeakMap<Sessions, Map<string, string>>();

/**
 * Runs a request. Throws MESSAGE_ID_REUSED if its `messageId` was used for a different request with the same operation and session.
 * Applies to every operation that changes something and has the param `messageId`. The operation itself makes sure that a repetition has
 * no further effect, for which it also finds earlier requests in the log.
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
    // The request failed, so its id may be used for another attempt.
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
