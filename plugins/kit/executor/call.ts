import { errors } from "../errors.ts";
import { linkedTo, untilAborted } from "../values/abort.ts";
import { codeOf, messageOf } from "../values/coded-error.ts";
import { within } from "../values/within.ts";

/** The service whose methods are called, and which plugin implements each of them. */
export interface Executor {
  service: string;
  /** The plugin that implements a method; undefined for Scorel itself. */
  pluginOf(method: string): string | undefined;
}

/** One call of a method. */
export interface Call {
  /** Its name, or for a method of what it returned: `start().kill`. */
  method: string;
  limitMs: number;
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** Says what an answer should have been when it is not that. */
  check?(answer: unknown): string | undefined;
}

/**
 * Calls a method of a service that runs a session's tools. The signal that `work` gets aborts with the caller's, and when the
 * limit is over. Rejects with EXECUTOR_LATE at the limit, EXECUTOR_ANSWER for an answer of another form than agreed, and
 * EXECUTOR_FAILED for an error without a code; each names the plugin and the method. Other errors pass.
 */
export async function callExecutor<T>(
  { service, pluginOf }: Executor,
  { method, limitMs, signal, check }: Call,
  work: (signal: AbortSignal) => PromiseLike<T> | T,
): Promise<T> {
  const who = () => ({ plugin: pluginOf(method.split("(")[0] as string) ?? "scorel", method: `${service}.${method}` });
  const link = linkedTo(...(signal ? [signal] : []));
  let isOver = false;
  try {
    const late = () => errors.EXECUTOR_LATE({ ...who(), limit: limitMs });
    const answer = await within(limitMs, untilAborted(started(work, link.signal), link.signal), late);
    isOver = true;
    const wanted = check?.(answer);
    if (wanted !== undefined) throw errors.EXECUTOR_ANSWER({ ...who(), wanted });
    return answer;
  } catch (thrown) {
    if (signal?.aborted || codeOf(thrown, "") !== "") throw thrown;
    throw errors.EXECUTOR_FAILED({ ...who(), reason: messageOf(thrown) }, { cause: thrown });
  } finally {
    link.end(!isOver);
  }
}

/** Makes a rejection of what is thrown at once. */
async function started<T>(work: (signal: AbortSignal) => PromiseLike<T> | T, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return work(signal);
}
