import { ownCopy } from "@scorel/kit/values/copy";
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

/** One hold, from `hold` to `release`. */
interface Held {
  /** Whether anyone may append at the moment, because the holder has opened the path. */
  opened: boolean;
  /** The client on whose behalf the holder works, as set by `answer`. */
  answered: string | undefined;
}

/** While someone holds the path, other callers' path events wait until the holder opens or releases it, and their jumps are refused. */
export class PathGate {
  private readonly options: GateOptions;
  private waiting: AnyEntry[] = [];
  private current: Held | undefined;

  constructor(options: GateOptions) {
    this.options = options;
  }

  get held(): boolean {
    return this.current !== undefined;
  }

  /** The client on whose behalf events are written at the moment, if the holder has named one. */
  get clientId(): string | undefined {
    return this.current?.answered;
  }

  /** Queues an entry that has to wait and returns its result, or undefined if it may be written now. Throws LOG_BUSY for a jump. */
  admit(entry: AnyEntry): Queued | undefined {
    if (!this.mustWait(entry)) return undefined;
    const id = entry.id ?? this.options.newId();
    // A copy, because the caller may change its payload once the append has resolved.
    this.waiting.push({ ...entry, id, payload: ownCopy(entry.payload) });
    return { id, queued: true };
  }

  /** Throws LOG_BUSY if the entry would have to wait. For callers that cannot wait. */
  refuse(entry: AnyEntry): void {
    if (this.mustWait(entry)) throw errors.LOG_BUSY({ type: entry.type });
  }

  hold(): PathHold {
    if (this.current) throw errors.LOG_BUSY({ type: "turn" });
    const held: Held = { opened: false, answered: undefined };
    this.current = held;
    const append = async (entries: readonly AnyEntry[]) => {
      this.mustBeCurrent(held);
      return this.options.append(entries);
    };
    return {
      append: async <T extends EventType>(type: T, payload: unknown, options: AppendOptions = {}) => {
        const [event] = await append([{ ...options, type, payload }]);
        return event as unknown as Appended<T>;
      },
      appendAll: append,
      open: (work) => this.open(held, work),
      answer: (clientId) => {
        held.answered = clientId;
      },
      release: () => this.release(held),
    };
  }

  private mustWait(entry: AnyEntry): boolean {
    if (!this.current) return false;
    const moves = this.options.movesTo(entry);
    if (moves === "jump") throw errors.LOG_BUSY({ type: entry.type });
    return moves === "path" && !this.current.opened;
  }

  private mustBeCurrent(held: Held): void {
    if (this.current !== held) throw errors.LOG_HOLD_ENDED();
  }

  private async open<R>(held: Held, work: () => Promise<R>): Promise<R> {
    this.mustBeCurrent(held);
    // The waiting events are written at once. Those that come while these are synced to disk need not wait, and must not be overtaken.
    const flushed = this.flush();
    held.opened = true;
    try {
      await flushed;
      return await work();
    } finally {
      held.opened = false;
    }
  }

  /** Does nothing for a hold that has ended, so that a second release cannot end another caller's hold. */
  private async release(held: Held): Promise<void> {
    if (this.current !== held) return;
    this.current = undefined;
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
