import type { PathHold, Session } from "@scorel/kernel";
import { onAbort, untilAborted } from "@scorel/kit/values/abort";

/**
 * Work on the conversation between two turns. It holds the path, so that nothing else can append to it. It can be cancelled like a turn,
 * and messages wait in the queue for its end.
 */
export class Interlude {
  readonly accepts = false;
  readonly served: readonly string[] = [];
  /** The ids of messages that were queued meanwhile. A turn starts at the end if one of them is still queued then. */
  readonly awaited = new Set<string>();
  private readonly hold: PathHold;
  private readonly control = new AbortController();
  private readonly ignoreStop: () => void;

  /** Takes the hold on the path; throws LOG_BUSY if something else has it. */
  constructor(session: Session) {
    this.hold = session.hold();
    this.ignoreStop = onAbort(session.stopping, () => this.control.abort(session.stopping.reason));
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  /** Runs the work and settles with it, or rejects at once on cancel. */
  async run<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
    try {
      return await this.hold.open(() => untilAborted(work(this.signal), this.signal));
    } finally {
      this.ignoreStop();
      await this.hold.release();
    }
  }

  cancel(reason: Error): void {
    this.control.abort(reason);
  }
}
