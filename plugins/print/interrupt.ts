import { codeOf } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";

/**
 * Returns a signal that aborts like `interrupt`, except when the output is closed, which also aborts `interrupt`: a turn goes on then, since
 * its answer is kept in the session.
 */
export function interruptOfUser(interrupt: AbortSignal): AbortSignal {
  const control = new AbortController();
  onAbort(interrupt, () => {
    if (codeOf(interrupt.reason) !== "OUTPUT_CLOSED") control.abort(interrupt.reason);
  });
  return control.signal;
}
