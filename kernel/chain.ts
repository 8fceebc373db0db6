import { SyncBailHook } from "tapable";
import { errors, messageOf } from "./errors.ts";
import { nearest } from "./nearest.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { HookMode, Level } from "./plugin.ts";
import type { Dispose } from "./types.ts";

const LEVELS: Record<Level, number> = { early: -1, normal: 0, late: 1 };
const DEFAULT_LIMIT_MS = 30_000;

/** One layer as the chain holds it. */
export interface Layer {
  plugin: string;
  handler: (input: unknown, signal: AbortSignal) => unknown;
  level?: Level;
  critical?: boolean;
  limit?: number | false;
}
/** A hook's layer as its author wrote it: a function, or a function with its place and limits. */
export function asLayer(plugin: string, hook: string, tap: unknown): Layer {
  if (typeof tap === "function") return { plugin, handler: tap as Layer["handler"] };
  const flaws = flawsOf(tap);
  if (flaws.length > 0) throw errors.HOOK_LAYER({ plugin, hook, flaws });
  return { plugin, ...(tap as Omit<Layer, "plugin">) };
}

export const TAP_FIELDS = ["handler", "level", "critical", "limit"];

/** All that is wrong with a layer that is not a function: one that is misread could leave an action unguarded. */
function flawsOf(tap: unknown): string[] {
  if (typeof tap !== "object" || tap === null) return ["it is neither a function nor { handler: a function }"];
  const { handler, level, critical, limit } = tap as Record<string, unknown>;
  const strange = Object.keys(tap).filter((key) => !TAP_FIELDS.includes(key));
  const flaws = strange.map((key) => {
    const near = nearest(key, TAP_FIELDS);
    return `it has no field "${key}"${near === undefined ? ` (there are ${TAP_FIELDS.join(", ")})` : `: did you mean "${near}"?`}`;
  });
  if (typeof handler !== "function") flaws.push("its handler is not a function");
  if (level !== undefined && !Object.hasOwn(LEVELS, level as string))
    flaws.push('its level is not "early", "normal" or "late"');
  if (critical !== undefined && typeof critical !== "boolean") flaws.push("its critical is neither true nor false");
  if (limit !== undefined && limit !== false && !(typeof limit === "number" && limit >= 0))
    flaws.push("its limit is neither a number of milliseconds nor false");
  return flaws;
}

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

class Copied {
  readonly copy: unknown;
  readonly answer: unknown;
  constructor(copy: unknown, answer: unknown) {
    this.copy = copy;
    this.answer = answer;
  }
}
/** Returned by a layer that was given a copy of its input: the copy takes the input's place, with what was changed in it. */
export function withCopy(copy: unknown, answer: unknown): unknown {
  return new Copied(copy, answer);
}

const END = Symbol("end");
/** What a layer came to: the next one's turn, the end of the chain, or one of both later. */
type Step = undefined | typeof END | Promise<undefined | typeof END>;

/** One call of a chain. */
class Run {
  /** The input, as earlier layers have changed it. */
  value: unknown;
  /** What a `bail` chain answers. */
  answer: unknown;
  /** The layer whose turn it is. */
  at = 0;
  /** Aborts with the caller's signal, or when the running layer outlives its limit. */
  control = new AbortController();
  /** Ends the wait for the running layer. */
  interrupt: (() => void) | undefined;
  private readonly caller: AbortSignal | undefined;
  private abort: (() => void) | undefined;

  constructor(value: unknown, caller: AbortSignal | undefined) {
    this.value = value;
    this.caller = caller;
  }

  /** Listens to the caller, which is needed only once something is waited for; throws when it has aborted. */
  link(): void {
    if (this.abort) return;
    this.throwIfAborted();
    this.abort = () => {
      this.control.abort(this.caller?.reason);
      this.interrupt?.();
    };
    this.caller?.addEventListener("abort", this.abort, { once: true });
  }
  unlink(): void {
    if (this.abort) this.caller?.removeEventListener("abort", this.abort);
  }
  throwIfAborted(): void {
    if (!this.caller?.aborted) return;
    this.control.abort(this.caller.reason);
    this.caller.throwIfAborted();
  }
}

/**
 * One native hook. tapable orders and runs the layers, but has no undo, lets a throw end the series and a layer hang it: so
 * the chain keeps its own list and compiles a new hook after each change (calls in flight finish on the old one), and every
 * layer runs guarded, in one place. A layer that takes time ends the compiled series, which goes on behind it later: layers
 * that do not, which are most, cost no promise.
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
      while (step instanceof Promise) step = (await step) ?? (compiled.call(run) as Step);
    } finally {
      run.unlink();
    }
    if (this.mode !== "bail") return run.value;
    // Whoever calls a `bail` chain has its answer, and looks for changes in what it gave.
    if (run.value !== input) Object.assign(input as object, run.value);
    return run.answer;
  }

  private compile(): SyncBailHook<[Run], Step> {
    const hook = new SyncBailHook<[Run], Step>(["run"]);
    const byLevel = [...this.layers].sort((a, b) => LEVELS[a.level ?? "normal"] - LEVELS[b.level ?? "normal"]);
    for (const [index, layer] of byLevel.entries())
      hook.tap(layer.plugin, (run) => (index < run.at ? undefined : this.begin(run, layer)) as Step & undefined);
    return hook;
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
