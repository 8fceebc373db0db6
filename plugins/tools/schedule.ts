import type { Awaitable } from "@scorel/kernel";
import type { Access } from "./contract.ts";

/** Whether two calls may not overlap, so that the earlier one has to end first. Paths are those of `folded`. */
function conflicts(a: Access, b: Access): boolean {
  if (a === "exclusive" || b === "exclusive") return true;
  if (a === "read" || b === "read") return a !== b && [a, b].some((access) => writesOf(access).length > 0);
  return a.writes.some((path) => b.writes.some((other) => meet(path, other)));
}

function writesOf(access: Access): readonly string[] {
  return typeof access === "object" ? access.writes : [];
}

/** One lies at or below the other. */
function meet(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** With one spelling for names that some file systems take for the same; waiting needlessly is harmless. */
function folded(access: Access): Access {
  if (typeof access !== "object") return access;
  return { writes: access.writes.map((path) => path.normalize("NFC").toLowerCase()) };
}

interface Call {
  entered: boolean;
  settled: boolean;
  /** Known once the call has entered. */
  access?: Access;
  /** Earlier calls that conflict with it and are not settled. */
  readonly waitsFor: Set<Call>;
  /** Lets it run. */
  start(): void;
  readonly started: Promise<void>;
}

/**
 * Calls of one batch that are open at the same time: those that run, and those that wait for one of them. The next one
 * follows when one of these is settled.
 */
export const MOST_OPEN = 64;

/** Keeps the source order of one batch between any two calls that conflict; others run side by side. */
export class Schedule {
  private batch = new Batch([]);

  /** Takes the calls of one assistant message, in source order. */
  begin(ids: readonly string[]): void {
    this.batch = new Batch(ids);
  }

  /** Resolves when every earlier conflicting call is settled; a call of no batch goes at once. Rejects on abort. */
  async enter(id: string, access: () => Awaitable<Access>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { batch } = this;
    const call = batch.enter(id);
    if (call) await untilAborted(batch.wait(call, access), signal);
  }

  /** Lets later calls go on; unknown and settled ids are ignored. */
  settle(id: string): void {
    this.batch.settle(id);
  }
}

/** Each call is compared only with those that are open, so that a batch costs no more than its length. */
class Batch {
  private readonly calls: readonly Call[];
  private readonly byId = new Map<string, Call[]>();
  private readonly open = new Set<Call>();
  /** The place of the first call that has not been opened. */
  private next = 0;

  constructor(ids: readonly string[]) {
    this.calls = ids.map((id) => {
      const call = createCall();
      const same = this.byId.get(id);
      if (same) same.push(call);
      else this.byId.set(id, [call]);
      return call;
    });
  }

  enter(id: string): Call | undefined {
    const call = this.byId.get(id)?.find(({ entered }) => !entered);
    if (call) call.entered = true;
    return call;
  }

  async wait(call: Call, access: () => Awaitable<Access>): Promise<void> {
    call.access = folded(await access());
    this.openNext();
    await call.started;
  }

  settle(id: string): void {
    const call = this.byId.get(id)?.find(({ settled }) => !settled);
    if (!call) return;
    call.settled = true;
    this.open.delete(call);
    for (const later of this.open) if (later.waitsFor.delete(call)) startIfFree(later);
    this.openNext();
  }

  /** Opens calls in source order: a call whose access is not known yet holds back those after it. */
  private openNext(): void {
    for (; this.open.size < MOST_OPEN; this.next++) {
      const call = this.calls[this.next];
      if (!call) return;
      if (call.settled) continue;
      const { access } = call;
      if (access === undefined) return;
      for (const earlier of this.open) if (conflicts(earlier.access as Access, access)) call.waitsFor.add(earlier);
      this.open.add(call);
      startIfFree(call);
    }
  }
}

function createCall(): Call {
  let start: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  return { entered: false, settled: false, waitsFor: new Set(), start, started };
}

function startIfFree(call: Call): void {
  if (call.waitsFor.size === 0) call.start();
}

/** The promise, or the signal's reason as soon as it aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
