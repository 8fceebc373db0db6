import { within } from "@scorel/kit/values/within";
import { errors } from "./errors.ts";
import type { Dispose } from "./types.ts";

/** An undo that takes longer is left behind, so that no plugin can keep a session from closing. */
const DISPOSE_LIMIT_MS = 5_000;

/** The undo list of one plugin: everything it did through its context, undone in reverse order. */
export class Scope {
  readonly plugin: string;
  readonly control = new AbortController();
  private readonly disposers: Dispose[] = [];
  private readonly endings: Dispose[] = [];
  private closed = false;
  private readonly report: (where: string, thrown: unknown) => void;

  constructor(plugin: string, report: (where: string, thrown: unknown) => void) {
    this.plugin = plugin;
    this.report = report;
  }

  get size(): number {
    return this.disposers.length;
  }

  /** Adds an undo; answers one that may be called earlier. In a closed scope it runs at once and SCOPE_CLOSED is thrown. */
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

  /** Adds work for the beginning of the stop, while everything is still in place; runs at once when that is over. */
  addEnding(work: Dispose): void {
    if (this.control.signal.aborted) void this.run(work);
    else this.endings.push(work);
  }

  /** Begins the stop: aborts the plugin's signal and waits until its running work has ended. */
  async settle(): Promise<void> {
    this.control.abort();
    await Promise.all(this.endings.splice(0).map((work) => this.run(work)));
  }

  /** Undoes everything in reverse; a failing undo is reported and the rest still runs. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.settle();
    for (let dispose = this.disposers.pop(); dispose; dispose = this.disposers.pop()) await this.run(dispose);
  }

  private async run(dispose: Dispose): Promise<void> {
    try {
      await within(DISPOSE_LIMIT_MS, dispose(), () =>
        errors.SCOPE_DISPOSE_LIMIT({ plugin: this.plugin, limit: DISPOSE_LIMIT_MS }),
      );
    } catch (thrown) {
      this.report("dispose", thrown);
    }
  }
}
