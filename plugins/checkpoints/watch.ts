import type { ToolCallInput, ToolCallOutcome } from "@scorel/agent/contract";
import type { Context } from "./context.ts";
import type { Tracker } from "./tracker.ts";

/** After this a round's request is on its way, and looking through the project costs nobody time. */
const START_MS = 20;

/** The tracker of a session, made when there is something to track: a turn without tools is not to pay for it. */
export class Watch {
  private readonly ctx: Context;
  private made: Promise<Tracker> | undefined;
  private ready: Tracker | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /** A model call begins, the first since the user spoke or another: the look that is due runs while the model speaks. */
  round(isFirst: boolean): void {
    this.ready?.round(isFirst);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.tracker()
        .then((tracker) => tracker.look())
        .catch((thrown) => this.ctx.report("checkpoints", thrown));
    }, START_MS);
    this.timer.unref();
  }

  async before(call: ToolCallInput): Promise<void> {
    await (await this.tracker()).before(call);
  }

  async after(outcome: ToolCallOutcome): Promise<void> {
    await this.ready?.after(outcome);
  }

  /** Resolves when all that tools have changed so far is in the log. */
  async settle(): Promise<void> {
    await this.ready?.settle();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.ready?.stop();
  }

  private tracker(): Promise<Tracker> {
    this.made ??= this.make();
    return this.made;
  }

  private async make(): Promise<Tracker> {
    const { createTracker } = await import("./tracker.ts");
    this.ready = createTracker(this.ctx);
    return this.ready;
  }
}
