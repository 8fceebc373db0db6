import { messageOf } from "@scorel/kit/values/coded-error";
import type { PendingCalls } from "../calls/pending-calls.ts";
import { Copied } from "../containment.ts";
import { errors } from "../errors.ts";
import type { HookMode } from "../hook.ts";
import type { Run } from "./chain-run.ts";
import { type Layer, Stop } from "./layer.ts";

const DEFAULT_LIMIT_MS = 30_000;

/** The name and mode of a hook, and the callbacks of its chain. */
export interface ChainOptions {
  name: string;
  mode: HookMode;
  /** Throws if a layer's result is invalid. */
  check?(result: unknown): void;
  report(layer: Layer, thrown: unknown): void;
  /** Called when a layer starts. The returned function is called when the layer ends. */
  trace?(plugin: string): LayerEnded | undefined;
  pending: PendingCalls;
}

const STOPPED = Symbol("stopped");
type Settled = undefined | typeof STOPPED;
/** The outcome of a layer: `undefined` continues with the next layer, STOPPED skips the layers after it, a promise resolves to either. */
export type Outcome = Settled | Promise<Settled>;

/** Called when a layer ends, with the thrown value if it failed. */
export type LayerEnded = (failure?: { thrown: unknown }) => void;

/** Runs single layers of one hook: limits their time, applies their results, and continues after failures. */
export class LayerRunner {
  private readonly options: ChainOptions;

  constructor(options: ChainOptions) {
    this.options = options;
  }

  start(run: Run, layer: Layer): Outcome {
    run.started++;
    const ended = this.options.trace?.(layer.plugin);
    try {
      run.throwIfAborted();
      const returned = layer.handler(run.value, run.control.signal);
      if (isThenable(returned)) return this.wait(run, layer, returned, ended);
      const outcome = this.apply(run, returned);
      ended?.();
      return outcome;
    } catch (thrown) {
      ended?.({ thrown });
      return this.failed(run, layer, thrown);
    }
  }

  private async wait(
    run: Run,
    layer: Layer,
    promise: PromiseLike<unknown>,
    ended: LayerEnded | undefined,
  ): Promise<Settled> {
    try {
      const outcome = this.apply(run, await this.withinLimit(run, layer, promise));
      ended?.();
      return outcome;
    } catch (thrown) {
      ended?.({ thrown });
      return this.failed(run, layer, thrown);
    }
  }

  /** Waits for a layer's promise up to the layer's limit, or until the caller aborts. A later result is discarded. */
  private withinLimit(run: Run, layer: Layer, promise: PromiseLike<unknown>): Promise<unknown> {
    const { pending } = this.options;
    const { signal } = run.control;
    return new Promise((resolve, reject) => {
      let isOpen = true;
      const settle = (resolveOrReject: () => void) => {
        if (!isOpen) return;
        isOpen = false;
        ended();
        endLimit?.();
        run.interrupt = undefined;
        resolveOrReject();
      };
      const limit = layer.limit ?? DEFAULT_LIMIT_MS;
      const expire = () => settle(() => reject(this.expire(run, layer, limit as number)));
      const ended = pending.begin(layer.plugin, signal);
      const endLimit = limit === false ? undefined : pending.limit(signal, limit, expire);
      run.interrupt = () => settle(() => reject(signal.reason));
      promise.then(
        (value) => settle(() => resolve(value)),
        (thrown) => settle(() => reject(thrown)),
      );
      // Last, because the layer itself may have aborted the call before it returned its promise.
      run.link();
    });
  }

  /** Aborts the signal of a layer that exceeded its limit. The layers after it get a new signal. */
  private expire(run: Run, layer: Layer, limit: number): Error {
    const error = errors.HOOK_LIMIT({ hook: this.options.name, plugin: layer.plugin, limit });
    const late = run.control;
    run.control = new AbortController();
    late.abort(error);
    return error;
  }

  /** Applies a layer's result to the run, and replaces the input if the layer worked on a copy of it. */
  private apply(run: Run, returned: unknown): Settled {
    const isCopied = returned instanceof Copied;
    const input = isCopied ? returned.copy : run.value;
    const resultOrStop = isCopied ? returned.result : returned;
    const isStop = resultOrStop instanceof Stop;
    const result = (isStop ? resultOrStop.value : resultOrStop) ?? undefined;
    const { mode } = this.options;
    if (mode !== "waterfall") return this.merge(run, input, result, mode) || isStop ? STOPPED : undefined;
    const value = result ?? input;
    if (isCopied || value !== input) this.options.check?.(value);
    run.value = value;
    return isStop ? STOPPED : undefined;
  }

  /** Merges a result into the input. Returns true if it ends the chain. */
  private merge(run: Run, input: unknown, result: unknown, mode: Exclude<HookMode, "waterfall">): boolean {
    if (result !== undefined) this.options.check?.(result);
    run.value = input;
    if (result === undefined) return false;
    if (mode === "bail") {
      run.result = result;
      return true;
    }
    run.value = mode.fold(input, result as never);
    return mode.ends?.(result as never) === true;
  }

  /** Throws if the layer is critical or the caller has aborted. Otherwise reports the failure and skips the layer. */
  private failed(run: Run, layer: Layer, thrown: unknown): undefined {
    run.control.signal.throwIfAborted();
    this.options.report(layer, thrown);
    const reason = messageOf(thrown);
    if (layer.critical)
      throw errors.HOOK_CRITICAL({ hook: this.options.name, plugin: layer.plugin, reason }, { cause: thrown });
    return undefined;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
