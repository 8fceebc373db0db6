import { AsyncSeriesBailHook } from "tapable";
import { startClock } from "./clock.ts";
import { errors, messageOf } from "./errors.ts";
import type { HookMode, Level } from "./plugin.ts";
import type { Dispose } from "./types.ts";

const LEVELS: Record<Level, number> = { early: -1, normal: 0, late: 1 };
const DEFAULT_LIMIT_MS = 30_000;
/** So many failures of one thing that a user's own plugin brought switch that thing off. */
export const STRIKES = 3;

/** One layer as the chain holds it. */
export interface Layer {
  plugin: string;
  handler: (input: unknown, signal: AbortSignal) => unknown;
  level?: Level;
  critical?: boolean;
  limit?: number | false;
  /** Switched off at its third failure, unless it is critical. */
  expendable?: boolean;
}
interface Run {
  /** The input, as earlier layers have changed it. */
  value: unknown;
  /** What a `bail` chain answers. */
  answer: unknown;
  /** Aborts with the caller's signal, or when the running layer outlives its limit. */
  control: AbortController;
}
/** A hook's layer as its author wrote it: a function, or a function with its place and limits. */
export function asLayer(plugin: string, tap: unknown): Layer {
  return typeof tap === "function"
    ? { plugin, handler: tap as Layer["handler"] }
    : { plugin, ...(tap as Omit<Layer, "plugin">) };
}

type Report = (plugin: string, where: string, thrown: unknown) => void;
/** Asked as a layer begins; what it answers hears the end, and of a failure what was thrown. */
export type Trace = (plugin: string) => ((failure?: { thrown: unknown }) => void) | undefined;
/** Told when a layer takes time, with its signal; the answer is called when it is waited for no longer. */
export type Wait = (plugin: string, signal: AbortSignal) => () => void;

class Stop {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
/** Returned by a layer: take this value and run no later layer. */
export function stop<T>(value?: T): T {
  return new Stop(value) as unknown as T;
}

/**
 * One native hook. tapable runs the layers, but has no undo, lets a throw end the series and a
 * layer hang it: so the chain keeps its own list and compiles a new hook after each change (calls in
 * flight finish on the old one), and every layer runs guarded, in one place.
 */
export class Chain {
  readonly name: string;
  private readonly mode: HookMode;
  private readonly report: Report;
  private readonly trace: Trace;
  private readonly wait: Wait;
  private layers: Layer[] = [];
  private readonly strikes = new WeakMap<Layer, number>();
  private compiled: AsyncSeriesBailHook<[Run], true> | undefined;

  constructor(name: string, mode: HookMode, report: Report, { trace, wait }: { trace: Trace; wait: Wait }) {
    this.name = name;
    this.mode = mode;
    this.report = report;
    this.trace = trace;
    this.wait = wait;
  }

  get size(): number {
    return this.layers.length;
  }

  add(layer: Layer): Dispose {
    this.layers = [...this.layers, layer];
    this.compiled = undefined;
    return () => this.remove(layer);
  }

  private remove(layer: Layer): void {
    this.layers = this.layers.filter((other) => other !== layer);
    this.compiled = undefined;
  }

  /** Runs the layers; rejects only on abort and when a critical layer fails. */
  async call(input: unknown, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const run: Run = { value: input, answer: undefined, control: new AbortController() };
    if (this.layers.length === 0) return this.outcome(run);
    const abort = () => run.control.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await this.hook().promise(run);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    return this.outcome(run);
  }

  private outcome(run: Run): unknown {
    return this.mode === "bail" ? run.answer : run.value;
  }

  private hook(): AsyncSeriesBailHook<[Run], true> {
    this.compiled ??= this.compile();
    return this.compiled;
  }

  private compile(): AsyncSeriesBailHook<[Run], true> {
    const hook = new AsyncSeriesBailHook<[Run], true>(["run"]);
    const ordered = this.layers
      .map((layer, index) => ({ layer, index }))
      .sort((a, b) => LEVELS[a.layer.level ?? "normal"] - LEVELS[b.layer.level ?? "normal"] || a.index - b.index);
    for (const { layer } of ordered)
      hook.tapAsync(layer.plugin, (run, done) => {
        this.runLayer(run, layer, done as (error?: Error | null, end?: true) => void);
      });
    return hook;
  }

  private runLayer(run: Run, layer: Layer, done: (error?: Error | null, end?: true) => void): void {
    let answer: unknown;
    const ended = this.trace(layer.plugin);
    const fail = (thrown: unknown) => {
      ended?.({ thrown });
      done(this.failed(run, layer, thrown));
    };
    const finish = (end?: true) => {
      ended?.();
      done(null, end);
    };
    try {
      run.control.signal.throwIfAborted();
      answer = layer.handler(run.value, run.control.signal);
      if (!isThenable(answer)) answer = { end: this.accept(run, answer) };
    } catch (thrown) {
      fail(thrown);
      return;
    }
    if (isThenable(answer)) this.settle(run, layer, answer).then(finish, fail);
    else finish((answer as { end?: true }).end);
  }

  /** Takes an answer in; `true` ends the chain. */
  private accept(run: Run, answered: unknown): true | undefined {
    const stopped = answered instanceof Stop;
    const answer = stopped ? answered.value : answered;
    if (answer !== undefined && answer !== null) {
      if (this.mode === "bail") run.answer = answer;
      else run.value = this.mode === "waterfall" ? answer : this.mode.fold(run.value, answer as never);
      if (this.mode === "bail") return true;
    }
    return stopped ? true : undefined;
  }

  /** Waits for a layer within its limit; a result that comes later is discarded. */
  private settle(run: Run, layer: Layer, answer: PromiseLike<unknown>): Promise<true | undefined> {
    const { control } = run;
    return new Promise((resolve, reject) => {
      const limit = layer.limit ?? DEFAULT_LIMIT_MS;
      const onAbort = () => close(() => reject(control.signal.reason));
      const end =
        limit === false
          ? () => {}
          : startClock(control.signal, limit, () => close(() => this.expire(run, layer, limit, reject)));
      const waited = this.wait(layer.plugin, control.signal);
      const close = (then: () => void) => {
        waited();
        end();
        control.signal.removeEventListener("abort", onAbort);
        settled = true;
        then();
      };
      let settled = false;
      control.signal.addEventListener("abort", onAbort, { once: true });
      answer.then(
        (value) => {
          if (!settled) close(() => attempt(() => resolve(this.accept(run, value)), reject));
        },
        (thrown) => {
          if (!settled) close(() => reject(thrown));
        },
      );
    });
  }

  /** Aborts the late layer's signal; the layers after it get a fresh one. */
  private expire(run: Run, layer: Layer, limit: number, reject: (error: Error) => void): void {
    const error = errors.HOOK_LIMIT({ hook: this.name, plugin: layer.plugin, limit });
    const late = run.control;
    run.control = new AbortController();
    late.abort(error);
    reject(error);
  }

  /** The error that ends the chain, or null when the layer is only skipped. */
  private failed(run: Run, layer: Layer, thrown: unknown): Error | null {
    if (run.control.signal.aborted) return asError(run.control.signal.reason);
    this.report(layer.plugin, this.name, thrown);
    if (!layer.critical) {
      this.strike(layer);
      return null;
    }
    return errors.HOOK_CRITICAL(
      { hook: this.name, plugin: layer.plugin, reason: messageOf(thrown) },
      { cause: thrown },
    );
  }

  private strike(layer: Layer): void {
    const failures = (this.strikes.get(layer) ?? 0) + 1;
    this.strikes.set(layer, failures);
    if (!layer.expendable || failures !== STRIKES) return;
    this.remove(layer);
    const { plugin } = layer;
    this.report(plugin, this.name, errors.PLUGIN_SWITCHED_OFF({ plugin, where: this.name, failures }));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function attempt(work: () => void, onThrow: (thrown: unknown) => void): void {
  try {
    work();
  } catch (thrown) {
    onThrow(thrown);
  }
}

/** tapable takes any truthy first argument as the error; what aborted a chain may be anything. */
function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(messageOf(reason));
}
