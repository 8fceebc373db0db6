import { messageOf, ScorelError } from "@scorel/kernel";
import { untilAborted } from "@scorel/kit/values/abort";
import type { Operation } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Contributed } from "./plugin-operations.ts";

type Answer<T> = { result: T } | { refused: unknown };

/**
 * Runs an operation of an extension. An error with a code is passed on to the client. Any other thrown value counts as a failure of the
 * operation, and the client gets HOST_OPERATION_FAILED. After the third failure it is not called again, and clients get
 * HOST_OPERATION_OFF. There is no time limit, since an operation may wait for other work, but it is no longer waited for when `left`
 * aborts, because nobody waits for the result any more. `sessionId` is that of an extension of a session.
 */
export async function runContained<O extends Operation, T>(
  operation: O,
  { plugin, kernel }: Contributed<O>,
  { left, sessionId }: { left: AbortSignal; sessionId: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const where = whereOf(operation);
  const off: Answer<T> = { refused: errors.HOST_OPERATION_OFF({ operation, plugin, sessionId }) };
  let failure: { thrown: unknown } | undefined;
  const answer = await kernel.attempt<Promise<Answer<T>>>({ plugin, where, otherwise: off, limit: false }, async () => {
    try {
      return { result: await untilAborted(work(), left) };
    } catch (thrown) {
      if (isAnswer(thrown)) return { refused: thrown };
      failure = { thrown };
      throw thrown;
    }
  });
  if ("result" in answer) return answer.result;
  if (!failure) throw answer.refused;
  const cause = failure.thrown;
  if (cause instanceof ScorelError) throw cause;
  const at = kernel.failures.findLast((each) => each.plugin === plugin && each.where === where)?.at;
  throw errors.HOST_OPERATION_FAILED({ operation, plugin, reason: messageOf(cause), at }, { cause });
}

/** How reports name an operation of an extension. */
export const whereOf = (operation: string) => `operation ${operation}`;

function isAnswer(thrown: unknown): boolean {
  return thrown instanceof ScorelError && thrown.code !== "HOST_RESULT_INVALID";
}
