/** One call of a chain. */
export class Run {
  /** The input, as earlier layers have changed it. */
  value: unknown;
  /** The result of a `bail` chain: the first layer result other than `undefined`. */
  result: unknown;
  /** The number of layers that have been started. */
  started = 0;
  /** The number of layers that the series has reached since it was last called. */
  private reached = 0;
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

  /** Called before the series is called again, which begins at its first layer. */
  rewind(): void {
    this.reached = 0;
  }
  /** Called for each layer that the series reaches. Returns true if the layer was started in an earlier pass. */
  skips(): boolean {
    return this.reached++ < this.started;
  }

  /** Listens to the caller's signal, and interrupts the running layer if it has aborted already. Only needed once a layer returns a promise. */
  link(): void {
    this.abort ??= this.listen();
    if (this.caller?.aborted) this.abort();
  }
  private listen(): () => void {
    const abort = () => {
      this.control.abort(this.caller?.reason);
      this.interrupt?.();
    };
    this.caller?.addEventListener("abort", abort, { once: true });
    return abort;
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
