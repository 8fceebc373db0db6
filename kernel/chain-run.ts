/** One call of a chain. */
export class Run {
  /** The input, as earlier layers have changed it. */
  value: unknown;
  /** The answer of a `bail` chain: that of the first layer that gave one. */
  answer: unknown;
  /** How many layers have begun. */
  at = 0;
  /** The place in the series that the present call of it has come to; layers before `at` are passed over. */
  position = 0;
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
