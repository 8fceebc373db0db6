import { messageOf } from "@scorel/kit/values/coded-error";
import { SyncBailHook } from "tapable";
import type { PendingCalls } from "../calls/pending-calls.ts";
import { Copied } from "../containment.ts";
import { errors } from "../errors.ts";
import type { HookMode } from "../hook.ts";
import type { Dispose } from "../types.ts";
import { Run } from "./chain-run.ts";
import { type Layer, STAGES, Stop } from "./layer.ts";

const DEFAULT_LIMIT_MS = 30_000;

/** The name and mode of a hook, and the callbacks of its chain. */
export interface ChainOptions {
  name: string;
  mode: HookMode;
  /** Throws if a layer's result is invalid. */
  check?(result: unknown): void;
  report(layer: Layer, thrown: unknown): void;
  /** Called when a layer starts. The returned function is called when the layer ends, with the thrown value if it failed. */
  trace?(plugin: string): Ended | undefined;
  pending: PendingCalls;
}
type Ended = (failure?: { thrown: unknown }) => void;

type LayerTap = { layer: Layer };
const END = Symbol("end");
/** The outcome of a layer: `undefined` continues with the next layer, END stops the chain, a promise resolves to either. */
type Step = undefined | typeof END | Promise<undefined | typeof END>;

/**
 * One native hook. tapable sorts the layers by stage, compiles them into a series, and lets an interceptor wrap each layer.
 * tapable cannot remove a layer, limit its time, or continue after it throws. So the chain keeps its own list of layers,
 * compiles a new series after each change (calls in flight finish on the old one), and wraps every layer in `guarded`.
 * When a layer returns a promise, the series ends and is called again once the promise settles, starting at the next layer.
 * Synchronous layers therefore need no promise; tapable's asynchronous series would create a callback for each layer.
 */
export class Chain {
  private readonly options: ChainOptions;
  private readonly name: string;
  private readonly mode: HookMode;
  private layers: Layer[] = [];
  private compiled: SyncBailHook<[Run], Step> | undefined;

  constructor(options: ChainOptions) {
    this.options = options;
    this.name = options.name;
    this.mode = options.mode;
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

  /** Runs the layers. Rejects only if the caller aborts or a critical layer fails. */
  async call(input: unknown, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.layers.length === 0) return this.mode === "bail" ? undefined : input;
    const run = new Run(input, signal);
    this.compiled ??= this.compile();
    const { compiled } = this;
    try {
      let step = compiled.call(run) as Step;
      while (step instanceof Promise) {
        run.position = 0;
        step = (await step) ?? (compiled.call(run) as Step);
      }
    } finally {
      run.unlink();
    }
    if (this.mode !== "bail") return run.value;
    // The caller of a `bail` chain gets its result, and expects a layer's changes in the input object itself.
    if (run.value !== input) Object.assign(input as object, run.value);
    return run.result;
  }

  /** Layers of the same level run in the order in which they were added. */
  private compile(): SyncBailHook<[Run], Step> {
    const hook = new SyncBailHook<[Run], Step>(["run"]);
    hook.intercept({ register: (tap) => ({ ...tap, fn: this.guarded((tap as unknown as LayerTap).layer) }) });
    for (const layer of this.layers)
      hook.tap(
        { name: layer.plugin, stage: STAGES[layer.level ?? "normal"], ...({ layer } satisfies LayerTap) },
        layer.handler as never,
      );
    return hook;
  }

  /** Wraps a layer for the compiled series: skips it if it has already run in this call. */
  private guarded(layer: Layer) {
    return (run: Run) => (run.position++ < run.at ? undefined : this.begin(run, layer));
  }

  private begin(run: Run, layer: Layer): Step {
    run.at++;
    const ended = this.options.trace?.(layer.plugin);
    try {
      run.throwIfAborted();
      const returned = layer.handler(run.value, run.control.signal);
      if (isThenable(returned)) return this.wait(run, layer, returned, ended);
      const step = this.accept(run, returned);
      ended?.();
      return step;
    } catch (thrown) {
      ended?.({ thrown });
      return this.failed(run, layer, thrown);
    }
  }

  private async wait(
    run: Run,
    layer: Layer,
    promise: PromiseLike<unknown>,
    ended: Ended | undefined,
  ): Promise<undefined | typeof END> {
    try {
      run.link();
      const step = this.accept(run, await this.settled(run, layer, promise));
      ended?.();
      return step;
    } catch (thrown) {
      ended?.({ thrown });
      return this.failed(run, layer, thrown);
    }
  }

  /** Applies a layer's result to the run, and replaces the input if the layer worked on a copy of it. */
  private accept(run: Run, returned: unknown): undefined | typeof END {
    const copied = returned instanceof Copied;
    const input = copied ? returned.copy : run.value;
    const returnedOrStop = copied ? returned.result : returned;
    const stopped = returnedOrStop instanceof Stop;
    const result = stopped ? returnedOrStop.value : returnedOrStop;
    const hasResult = result !== undefined && result !== null;
    if (this.mode === "waterfall") {
      const value = hasResult ? result : input;
      if (copied || value !== input) this.options.check?.(value);
      run.value = value;
      return stopped ? END : undefined;
    }
    if (hasResult) this.options.check?.(result);
    run.value = input;
    let ended = stopped;
    if (hasResult && this.mode === "bail") {
      run.result = result;
      ended = true;
    } else if (hasResult && this.mode !== "bail") {
      run.value = this.mode.fold(input, result as never);
      ended ||= this.mode.ends?.(result as never) === true;
    }
    return ended ? END : undefined;
  }

  /** Waits for a layer's promise up to its limit. A later result is discarded. */
  private settled(run: Run, layer: Layer, promise: PromiseLike<unknown>): Promise<unknown> {
    const { signal } = run.control;
    return new Promise((resolve, reject) => {
      const limit = layer.limit ?? DEFAULT_LIMIT_MS;
      const close = () => {
        settle();
        endLimit?.();
        run.interrupt = undefined;
      };
      const late = () => {
        close();
        this.expire(run, layer, limit as number, reject);
      };
      const { pending } = this.options;
      const settle = pending.begin(layer.plugin, signal);
      const endLimit = limit === false ? undefined : pending.limit(signal, limit, late);
      run.interrupt = () => {
        close();
        reject(signal.reason);
      };
      const isLate = () => run.control.signal !== signal || signal.aborted;
      promise.then(
        (value) => {
          if (isLate()) return;
          close();
          resolve(value);
        },
        (thrown) => {
          if (isLate()) return;
          close();
          reject(thrown);
        },
      );
    });
  }

  /** Aborts the signal of a layer that exceeded its limit. The layers after it get a new signal. */
  private expire(run: Run, layer: Layer, limit: number, reject: (error: Error) => void): void {
    const error = errors.HOOK_LIMIT({ hook: this.name, plugin: layer.plugin, limit });
    const late = run.control;
    run.control = new AbortController();
    late.abort(error);
    reject(error);
  }

  /** Throws if the layer is critical or the caller has aborted. Otherwise reports the failure and skips the layer. */
  private failed(run: Run, layer: Layer, thrown: unknown): undefined {
    run.control.signal.throwIfAborted();
    this.options.report(layer, thrown);
    const reason = messageOf(thrown);
    if (layer.critical)
      throw errors.HOOK_CRITICAL({ hook: this.name, plugin: layer.plugin, reason }, { cause: thrown });
    return undefined;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
