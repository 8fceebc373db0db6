import type { ToolCallInput, ToolCallOutcome } from "@scorel/agent/contract";
import type { Context } from "../context.ts";
import type { Tracker } from "./tracker.ts";

/** Milliseconds until a scan starts. By then the round's request has been sent, so that scanning does not delay it. */
const START_MS = 20;

/** Creates a session's tracker when it is first needed, so that a turn without tools costs nothing. */
export class Watch {
  private readonly ctx: Context;
  private made: Promise<Tracker> | undefined;
  private ready: Tracker | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(ctx: Context) {
    this.ctx = ctx;
  }

  /**
   * Called when a model call begins; `isFirst` after a message of the user. A due scan runs while the model answers.
   */
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
    // Changes that a person made with a shell line are not recorded, so a rewind leaves them as they are.
    if (call.typed) return;
    await (await this.tracker()).before(call);
  }

  async after(outcome: ToolCallOutcome): Promise<void> {
    await this.ready?.after(outcome);
  }

  /** Resolves when all changes of tools are in the log. */
  async settle(): Promise<void> {
    await this.ready?.settle();
  }

  /** Records the changes that are left before the session closes, for up to `limitMs` milliseconds. */
  async finish(limitMs: number): Promise<void> {
    clearTimeout(this.timer);
    await this.ready?.finish(limitMs);
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
