import { messageOf } from "@scorel/kit/values/coded-error";
import { SyncBailHook } from "tapable";
import { Run } from "./chain-run.ts";
import { Copied } from "./containment.ts";
import { errors } from "./errors.ts";
import { type Layer, STAGES, Stop } from "./layer.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { HookMode } from "./plugin.ts";
import type { Dispose } from "./types.ts";

const DEFAULT_LIMIT_MS = 30_000;

export interface ChainOptions {
  name: string;
  mode: HookMode;
  /** Throws about what is no answer. */
  check?(answer: unknown): void;
  report(layer: Layer, thrown: unknown): void;
  /** Asked as a layer begins; what it answers hears the end, and of a failure what was thrown. */
  trace?(plugin: string): Ended | undefined;
  pending: PendingCalls;
}
type Ended = (failure?: { thrown: unknown }) => void;

type LayerTap = { layer: Layer };
const END = Symbol("end");
/** The outcome of a layer: `undefined` continues with the next layer, END stops the chain; a promise decides later. */
type Step = undefined | typeof END | Promise<undefined | typeof END>;

/**
 * One native hook. tapable orders the layers by their stages, compiles them into a series, and lets one interceptor wrap each.
 * It has no undo, lets a throw end the series, and waits for a layer without limit. So the chain keeps its own list and compiles
 * a new series after each change (calls in flight finish on the old one), and the interceptor runs every layer guarded. A
 * layer that takes time ends the series, which is called again behind it: a layer that answers at once costs no promise, where
 * tapable's own asynchronous series would create one callback for each layer.
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

  /** Runs the layers; rejects only on abort and when a critical layer fails. */
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
    // Whoever calls a `bail` chain has its answer, and looks for changes in what it gave.
    if (run.value !== input) Object.assign(input as object, run.value);
    return run.answer;
  }

  /** Ties go by the order in which the layers were added. */
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

  /** Wraps a layer for the compiled series: skips it if it has run in this call, otherwise runs it guarded. */
  private guarded(layer: Layer) {
    return (run: Run) => (run.position++ < run.at ? undefined : this.begin(run, layer));
  }

  private begin(run: Run, layer: Layer): Step {
    run.at++;
    const ended = this.options.trace?.(layer.plugin);
    try {
      run.throwIfAborted();
      const answer = layer.handler(run.value, run.control.signal);
      if (isThenable(answer)) return this.wait(run, layer, answer, ended);
      const step = this.accept(run, answer);
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
    answer: PromiseLike<unknown>,
    ended: Ended | undefined,
  ): Promise<undefined | typeof END> {
    try {
      run.link();
      const step = this.accept(run, await this.settled(run, layer, answer));
      ended?.();
      return step;
    } catch (thrown) {
      ended?.({ thrown });
      return this.failed(run, layer, thrown);
    }
  }

  /** Takes in what a layer answered and, of a layer that had a copy, what it did to that. */
  private accept(run: Run, returned: unknown): undefined | typeof END {
    const copied = returned instanceof Copied;
    const given = copied ? returned.copy : run.value;
    const answered = copied ? returned.answer : returned;
    const stopped = answered instanceof Stop;
    const answer = stopped ? answered.value : answered;
    const says = answer !== undefined && answer !== null;
    if (this.mode === "waterfall") {
      const value = says ? answer : given;
      if (copied || value !== given) this.options.check?.(value);
      run.value = value;
      return stopped ? END : undefined;
    }
    if (says) this.options.check?.(answer);
    run.value = says && typeof this.mode === "object" ? this.mode.fold(given, answer as never) : given;
    if (this.mode !== "bail") return stopped ? END : undefined;
    if (says) run.answer = answer;
    return stopped || says ? END : undefined;
  }

  /** Waits for a layer within its limit; a result that comes later is discarded. */
  private settled(run: Run, layer: Layer, answer: PromiseLike<unknown>): Promise<unknown> {
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
      answer.then(
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

  /** Aborts the late layer's signal; the layers after it get a fresh one. */
  private expire(run: Run, layer: Layer, limit: number, reject: (error: Error) => void): void {
    const error = errors.HOOK_LIMIT({ hook: this.name, plugin: layer.plugin, limit });
    const late = run.control;
    run.control = new AbortController();
    late.abort(error);
    reject(error);
  }

  /** Ends the chain by a throw, or only skips the layer. */
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
