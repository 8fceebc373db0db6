import { within } from "@scorel/kit/values/within";
import { errors } from "../errors.ts";
import type { Dispose } from "../types.ts";

/** Time limit in milliseconds for one undo function, so that no plugin can keep a session from closing. */
const DISPOSE_LIMIT_MS = 5_000;
/** The longest time limit in milliseconds that a plugin can set for a function of `beforeStop`. */
const LONGEST_ENDING_MS = 60_000;

/** The undo functions of one plugin, one for each thing it registered through its context. */
export class Scope {
  readonly plugin: string;
  readonly control = new AbortController();
  private readonly disposers: Dispose[] = [];
  private readonly endings: { work: Dispose; limit: number }[] = [];
  private closed = false;
  private readonly report: (where: string, thrown: unknown) => void;

  constructor(plugin: string, report: (where: string, thrown: unknown) => void) {
    this.plugin = plugin;
    this.report = report;
  }

  get size(): number {
    return this.disposers.length;
  }

  /** Adds an undo function and returns a function that runs it early. In a closed scope, runs it at once and throws SCOPE_CLOSED. */
  add(dispose: Dispose): Dispose {
    if (this.closed) {
      this.run(dispose);
      throw errors.SCOPE_CLOSED({ plugin: this.plugin });
    }
    this.disposers.push(dispose);
    return () => {
      const at = this.disposers.indexOf(dispose);
      if (at < 0) return;
      this.disposers.splice(at, 1);
      return dispose();
    };
  }

  /** Adds a function that runs when the stop begins, while all plugins are still loaded. If it has begun, runs it immediately. */
  addEnding(work: Dispose, limitMs = DISPOSE_LIMIT_MS): void {
    const limit = Math.min(limitMs, LONGEST_ENDING_MS);
    if (this.control.signal.aborted) void this.run(work, limit);
    else this.endings.push({ work, limit });
  }

  /** Begins the stop: aborts the plugin's signal and waits for its running work to end. */
  async endWork(): Promise<void> {
    this.control.abort();
    await Promise.all(this.endings.splice(0).map(({ work, limit }) => this.run(work, limit)));
  }

  /** Runs the undo functions in reverse order. One that throws is reported, and the others still run. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.endWork();
    for (let dispose = this.disposers.pop(); dispose; dispose = this.disposers.pop()) await this.run(dispose);
  }

  private async run(dispose: Dispose, limit = DISPOSE_LIMIT_MS): Promise<void> {
    try {
      await within(limit, dispose(), () => errors.SCOPE_DISPOSE_LIMIT({ plugin: this.plugin, limit }));
    } catch (thrown) {
      this.report("dispose", thrown);
    }
  }
}
