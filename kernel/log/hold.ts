import { errors } from "../errors.ts";
import type { Appended, AppendOptions, PathHold, Queued } from "../session.ts";
import type { EventType, StoredEvent } from "../types.ts";
import type { AnyEntry } from "./drafts.ts";

interface GateOptions {
  append(entries: readonly AnyEntry[]): Promise<StoredEvent[]>;
  /** Whether an entry would be a path event, a side event or a jump. */
  movesTo(entry: AnyEntry): "path" | "side" | "jump";
  newId(): string;
  report(thrown: unknown): void;
}

/** While someone holds the path, other callers' path events wait until the holder opens or releases it, and their jumps are refused. */
export class PathGate {
  private readonly options: GateOptions;
  private waiting: AnyEntry[] = [];
  private holder: PathHold | undefined;
  private opened = false;
  /** The client on whose behalf the holder works, as set by `answer`. */
  private answered: string | undefined;

  constructor(options: GateOptions) {
    this.options = options;
  }

  get held(): boolean {
    return this.holder !== undefined;
  }

  /** The client on whose behalf events are written at the moment, if the holder has named one. */
  get clientId(): string | undefined {
    return this.answered;
  }

  /** Queues an entry that has to wait and returns its result, or undefined if it may be written now. Throws LOG_BUSY for a jump. */
  admit(entry: AnyEntry): Queued | undefined {
    if (!this.mustWait(entry)) return undefined;
    const id = entry.id ?? this.options.newId();
    this.waiting.push({ ...entry, id });
    return { id, queued: true };
  }

  /** Throws LOG_BUSY if the entry would have to wait. For callers that cannot wait. */
  refuse(entry: AnyEntry): void {
    if (this.mustWait(entry)) throw errors.LOG_BUSY({ type: entry.type });
  }

  hold(): PathHold {
    if (this.holder) throw errors.LOG_BUSY({ type: "turn" });
    const holder: PathHold = {
      append: async <T extends EventType>(type: T, payload: unknown, options: AppendOptions = {}) => {
        const [event] = await this.options.append([{ ...options, type, payload }]);
        return event as unknown as Appended<T>;
      },
      appendAll: (entries) => this.options.append(entries),
      open: (work) => this.open(work),
      answer: (clientId) => {
        if (this.holder === holder) this.answered = clientId;
      },
      release: () => this.release(holder),
    };
    this.holder = holder;
    return holder;
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

  /** Does nothing for a hold that has ended, so that a second release cannot end another caller's hold. */
  private async release(holder: PathHold): Promise<void> {
    if (this.holder !== holder) return;
    this.holder = undefined;
    this.answered = undefined;
    await this.flush();
  }

  /** Writes all waiting entries synchronously, so that no other caller, such as the next turn, can write between them. */
  private async flush(): Promise<void> {
    const entries = this.waiting;
    this.waiting = [];
    await Promise.all(entries.map((entry) => this.writeLate(entry)));
  }

  /** Writes a waiting entry. Its append has already resolved, so a failure can only be reported. */
  private async writeLate(entry: AnyEntry): Promise<void> {
    try {
      await this.options.append([entry]);
    } catch (thrown) {
      this.options.report(thrown);
    }
  }
}
