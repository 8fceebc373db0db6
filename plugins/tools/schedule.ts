import type { Awaitable } from "@scorel/kernel";
import type { Access } from "./contract.ts";

/** Whether two calls may not overlap, so that the earlier one has to end first. */
export function conflicts(a: Access, b: Access): boolean {
  if (a === "exclusive" || b === "exclusive") return true;
  if (a === "read" || b === "read") return a !== b && [a, b].some((access) => writesOf(access).length > 0);
  return a.writes.some((path) => b.writes.some((other) => meet(fold(path), fold(other))));
}

function writesOf(access: Access): readonly string[] {
  return typeof access === "object" ? access.writes : [];
}

/** One lies at or below the other. */
function meet(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Names that some file systems take for the same; waiting needlessly is harmless. */
function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

interface Call {
  id: string;
  entered: boolean;
  access: Deferred<Access>;
  settled: Deferred<void>;
}

/** Keeps the source order of one batch between any two calls that conflict; others run side by side. */
export class Schedule {
  private batch: Call[] = [];

  /** Takes the calls of one assistant message, in source order. */
  begin(ids: readonly string[]): void {
    this.batch = ids.map((id) => ({ id, entered: false, access: defer<Access>(), settled: defer<void>() }));
  }

  /** Resolves when every earlier conflicting call is settled; a call of no batch goes at once. Rejects on abort. */
  async enter(id: string, access: () => Awaitable<Access>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const batch = this.batch;
    const call = batch.find((it) => it.id === id && !it.entered);
    if (!call) return;
    call.entered = true;
    await untilAborted(waitForEarlier(batch, call, access), signal);
  }

  /** Lets later calls go on; unknown and settled ids are ignored. */
  settle(id: string): void {
    const call = this.batch.find((it) => it.id === id && !it.settled.done);
    call?.settled.resolve();
  }
}

async function waitForEarlier(batch: readonly Call[], call: Call, access: () => Awaitable<Access>): Promise<void> {
  const own = await access();
  call.access.resolve(own);
  for (const earlier of batch.slice(0, batch.indexOf(call))) {
    const other = await Promise.race([earlier.settled.promise, earlier.access.promise]);
    if (other !== undefined && !earlier.settled.done && conflicts(other, own)) await earlier.settled.promise;
  }
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

interface Deferred<T> {
  promise: Promise<T>;
  done: boolean;
  resolve(value: T): void;
}

function defer<T>(): Deferred<T> {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  const deferred: Deferred<T> = {
    promise,
    done: false,
    resolve(value) {
      deferred.done = true;
      settle(value);
    },
  };
  return deferred;
}
