import type { AnyEntry } from "./drafts.ts";
import { errors } from "./errors.ts";
import type { Appended, AppendOptions, PathHold, Queued } from "./session.ts";
import type { EventType, StoredEvent } from "./types.ts";

interface GateOptions {
  append(entries: readonly AnyEntry[]): Promise<StoredEvent[]>;
  /** Whether an entry would become the leaf, hang beside it, or move it elsewhere. */
  movesTo(entry: AnyEntry): "path" | "side" | "jump";
  newId(): string;
  report(thrown: unknown): void;
}

/** While somebody holds the path, the path events of all others wait for an opening, and jumps are refused. */
export class PathGate {
  private readonly options: GateOptions;
  private waiting: AnyEntry[] = [];
  private holder: PathHold | undefined;
  private opened = false;

  constructor(options: GateOptions) {
    this.options = options;
  }

  get held(): boolean {
    return this.holder !== undefined;
  }

  /** Returns the result for an entry that has to wait, or undefined if it may be written now. Throws LOG_BUSY. */
  admit(entry: AnyEntry): Queued | undefined {
    if (!this.mustWait(entry)) return undefined;
    const id = entry.id ?? this.options.newId();
    this.waiting.push({ ...entry, id });
    return { id, queued: true };
  }

  /** For entries that cannot wait. Throws LOG_BUSY. */
  refuse(entry: AnyEntry): void {
    if (this.mustWait(entry)) throw errors.LOG_BUSY({ type: entry.type });
  }

  hold(): PathHold {
    if (this.holder) throw errors.LOG_BUSY({ type: "turn" });
    this.holder = {
      append: async <T extends EventType>(type: T, payload: unknown, options: AppendOptions = {}) => {
        const [event] = await this.options.append([{ ...options, type, payload }]);
        return event as unknown as Appended<T>;
      },
      appendAll: (entries) => this.options.append(entries),
      open: (work) => this.open(work),
      release: () => this.release(),
    };
    return this.holder;
  }

  private mustWait(entry: AnyEntry): boolean {
    if (!this.holder) return false;
    const moves = this.options.movesTo(entry);
    if (moves === "jump") throw errors.LOG_BUSY({ type: entry.type });
    return moves === "path" && !this.opened;
  }

  private async open<R>(work: () => Promise<R>): Promise<R> {
    await this.flush();
    this.opened = true;
    try {
      return await work();
    } finally {
      this.opened = false;
    }
  }

  private async release(): Promise<void> {
    if (!this.holder) return;
    this.holder = undefined;
    await this.flush();
  }

  /** In one go: between two of them nobody else, such as the next turn, may write. */
  private async flush(): Promise<void> {
    const entries = this.waiting;
    this.waiting = [];
    await Promise.all(entries.map((entry) => this.writeLate(entry)));
  }

  /** An entry whose check or write fails was answered long ago: it can only be reported. */
  private async writeLate(entry: AnyEntry): Promise<void> {
    try {
      await this.options.append([entry]);
    } catch (thrown) {
      this.options.report(thrown);
    }
  }
}
