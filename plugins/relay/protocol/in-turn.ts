import type { Soon } from "./primitives.ts";

/** Takes steps one after the other, each at once unless one before it is still being worked on. A step must not throw or reject. */
export class InTurn {
  readonly #steps: (() => Soon<void>)[] = [];
  #isBusy = false;

  run(step: () => Soon<void>): void {
    this.#steps.push(step);
    if (!this.#isBusy) this.#work();
  }

  #work(): void {
    this.#isBusy = true;
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      const working = step();
      if (working) return void working.then(() => this.#work());
    }
    this.#isBusy = false;
  }
}
