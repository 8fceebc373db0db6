import { type Awaitable, codeOf } from "@scorel/kernel";
import { linkedTo, untilAborted } from "@scorel/kit/values/abort";
import { errors } from "./errors.ts";

/** Milliseconds that a cancelled command has to settle before it is no longer waited for. */
const GRACE_MS = 500;

/** The command that runs, and the client that runs it. */
export interface Run {
  readonly name: string;
  /** The plugin of the command, as soon as the command has been found. */
  plugin?: string;
  readonly clientId: string;
}

/** Runs a command. `signal` aborts when the command is cancelled or its client leaves; `cancelled` aborts only when it is cancelled. */
type Work<T> = (signal: AbortSignal, cancelled: AbortSignal) => Awaitable<T>;

/** The slash commands of a session that have not ended, so that a client can cancel its own. */
export class RunningCommands {
  private readonly running = new Map<Run, AbortController>();

  /**
   * Runs `work`. When the command is cancelled, or `left` aborts because its client has left, the signal that `work` gets aborts, and the
   * promise rejects with COMMAND_CANCELLED unless `work` settles soon. Rejects with COMMAND_BUSY if `work` is not possible during a turn.
   */
  async run<T>(run: Run, left: AbortSignal, work: Work<T>): Promise<T> {
    const control = new AbortController();
    const both = linkedTo(control.signal, left);
    this.running.set(run, control);
    try {
      return await untilAborted(work(both.signal, control.signal), both.signal, GRACE_MS);
    } catch (thrown) {
      if (both.signal.aborted && isAbort(thrown, both.signal)) throw errors.COMMAND_CANCELLED(run);
      // Its message has the name of an event, which says nothing to a person.
      if (codeOf(thrown) === "LOG_BUSY") throw errors.COMMAND_BUSY(run);
      throw thrown;
    } finally {
      both.end();
      this.running.delete(run);
    }
  }

  /** Cancels the commands that a client runs. Returns their names. */
  cancel(clientId: string): string[] {
    const own = [...this.running].filter(([run]) => run.clientId === clientId);
    for (const [, control] of own) control.abort();
    return own.map(([{ name }]) => name);
  }
}

/** Whether a command was not waited for any more, or rejected because its signal aborted. */
function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  return thrown === signal.reason || (Object(thrown) as { name?: unknown }).name === "AbortError";
}
