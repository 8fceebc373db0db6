import { SyncBailHook } from "tapable";
import type { HookMode } from "../hook.ts";
import type { Dispose } from "../types.ts";
import { Run } from "./chain-run.ts";
import { type Layer, STAGES } from "./layer.ts";
import { type ChainOptions, LayerRunner, type Outcome } from "./layer-runner.ts";

type Series = SyncBailHook<[Run], Outcome>;
type LayerTap = { layer: Layer };

/**
 * One native hook and its layers.
 *
 * tapable sorts the layers by stage and compiles them into one function, the series. An interceptor replaces each layer by a
 * function that runs it with its guards (layer-runner.ts). The series ends at the first layer with an outcome: a layer that
 * stops the chain, or one that returns a promise. Behind a promise it is called again, and skips the layers that have run.
 *
 * tapable's asynchronous series would not end at a promise, but it makes a callback for every layer, and most layers return no
 * promise (measured in docs/decisions/0069).
 */
export class Chain {
  private readonly mode: HookMode;
  private readonly runner: LayerRunner;
  private layers: Layer[] = [];
  /** Undefined after a change of the layers, which tapable cannot remove. Calls in flight finish on the series that they began with. */
  private series: Series | undefined;

  constructor(options: ChainOptions) {
    this.mode = options.mode;
    this.runner = new LayerRunner(options);
  }

  get size(): number {
    return this.layers.length;
  }

  add(layer: Layer): Dispose {
    this.setLayers([...this.layers, layer]);
    return () => this.setLayers(this.layers.filter((other) => other !== layer));
  }

  private setLayers(layers: Layer[]): void {
    this.layers = layers;
    this.series = undefined;
  }

  /** Runs the layers. Rejects only if the caller aborts or a critical layer fails. */
  async call(input: unknown, signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    if (this.layers.length === 0) return this.mode === "bail" ? undefined : input;
    const run = new Run(input, signal);
    this.series ??= this.compile();
    const { series } = this;
    try {
      let outcome = series.call(run) as Outcome;
      while (outcome instanceof Promise) {
        run.rewind();
        outcome = (await outcome) ?? (series.call(run) as Outcome);
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
  private compile(): Series {
    const series: Series = new SyncBailHook(["run"]);
    series.intercept({
      register: (tap) => {
        const { layer } = tap as unknown as LayerTap;
        return { ...tap, fn: (run: Run) => (run.skips() ? undefined : this.runner.start(run, layer)) };
      },
    });
    for (const layer of this.layers) {
      const stage = STAGES[layer.level ?? "normal"];
      series.tap({ name: layer.plugin, stage, ...({ layer } satisfies LayerTap) }, layer.handler as never);
    }
    return series;
  }
}
