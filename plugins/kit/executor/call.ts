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
  /** The method's name. For a method of an object that another method returned, both: `start().kill`. */
  method: string;
  limitMs: number;
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Returns undefined for a valid answer, and otherwise a description of a valid one. */
  check?(answer: unknown): string | undefined;
}

/**
 * Calls a method of a service that runs a session's tools. `work` receives a signal that aborts with the caller's signal, and when the
 * time limit is exceeded. Rejects with EXECUTOR_LATE if the limit is exceeded, EXECUTOR_ANSWER if `check` refuses the answer, and
 * EXECUTOR_FAILED for an error without a code; each names the plugin and the method. Rethrows errors that have a code.
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

/** Calls `work`. An error that it throws synchronously becomes a rejection. */
async function started<T>(work: (signal: AbortSignal) => PromiseLike<T> | T, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return work(signal);
}
