/** One call of a chain. */
export class Run {
  /** The input, as earlier layers have changed it. */
  value: unknown;
  /** The result of a `bail` chain: the first layer result other than `undefined`. */
  result: unknown;
  /** Number of layers that have started. */
  at = 0;
  /** Index of the next layer in the current pass through the series. Layers before `at` have run and are skipped. */
  position = 0;
  /** Aborts with the caller's signal, or when the running layer exceeds its limit. */
  control = new AbortController();
  /** Stops waiting for the running layer. */
  interrupt: (() => void) | undefined;
  private readonly caller: AbortSignal | undefined;
  private abort: (() => void) | undefined;

  constructor(value: unknown, caller: AbortSignal | undefined) {
    this.value = value;
    this.caller = caller;
  }

  /** Listens to the caller's signal. Only needed once a layer returns a promise. Throws if the caller has aborted already. */
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
