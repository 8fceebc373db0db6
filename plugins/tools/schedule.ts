import type { Awaitable } from "@scorel/kernel";
import { untilAborted } from "@scorel/kit/values/abort";
import type { Access } from "./contract.ts";

/** Whether two calls must not overlap. Paths must be from `folded`. */
function conflicts(a: Access, b: Access): boolean {
  if (a === "exclusive" || b === "exclusive") return true;
  if (a === "read" || b === "read") return a !== b && [a, b].some((access) => writesOf(access).length > 0);
  return a.writes.some((path) => b.writes.some((other) => meet(path, other)));
}

function writesOf(access: Access): readonly string[] {
  return typeof access === "object" ? access.writes : [];
}

/** Whether one path is the other or inside it. */
function meet(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/**
 * Normalises paths as on file systems that ignore case. On other systems, this only makes some calls wait without need.
 */
function folded(access: Access): Access {
  if (typeof access !== "object") return access;
  return { writes: access.writes.map((path) => path.normalize("NFC").toLowerCase()) };
}

interface Call {
  entered: boolean;
  isStarted: boolean;
  settled: boolean;
  /** Set once the call has entered the schedule. */
  access?: Access;
  /** Earlier unfinished calls that conflict with it. */
  readonly waitsFor: Set<Call>;
  /** Lets the call run. */
  start(): void;
  readonly started: Promise<void>;
}

/**
 * The most calls of a batch that are open at a time: running, or waiting for a running one. When one is finished, the
 * next one is opened.
 */
export const MOST_OPEN = 64;

/** Runs conflicting calls of a batch in source order, and others in parallel. */
export class Schedule {
  private batch = new Batch([]);

  /** Starts a batch with the calls of an assistant message, in source order. */
  begin(ids: readonly string[]): void {
    this.batch = new Batch(ids);
  }

  /**
   * Resolves when all earlier conflicting calls are finished; immediately for a call outside of the batch. Rejects on
   * abort. `waits` is called if the call has to wait.
   */
  async enter(id: string, access: () => Awaitable<Access>, signal: AbortSignal, waits = () => {}): Promise<void> {
    signal.throwIfAborted();
    const { batch } = this;
    const call = batch.enter(id);
    if (call) await untilAborted(batch.wait(call, access, waits), signal);
  }

  /** Lets later calls run; unknown and finished ids are ignored. */
  settle(id: string): void {
    this.batch.settle(id);
  }
}

/** Compares each call only with open ones, so that a batch takes linear time. */
class Batch {
  private readonly calls: readonly Call[];
  private readonly byId = new Map<string, Call[]>();
  private readonly open = new Set<Call>();
  /** The index of the next call to open. */
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

  async wait(call: Call, access: () => Awaitable<Access>, waits: () => void): Promise<void> {
    call.access = folded(await access());
    this.openNext();
    if (!call.isStarted) waits();
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

  /** Opens calls in source order; a call with unknown access holds back later ones. */
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
  return { entered: false, isStarted: false, settled: false, waitsFor: new Set(), start, started };
}

function startIfFree(call: Call): void {
  if (call.waitsFor.size > 0) return;
  call.isStarted = true;
  call.start();
}
