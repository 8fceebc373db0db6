import type { Soon } from "./primitives.ts";

/** Runs steps in order: at once if no earlier step is still running, else after it. A step must not throw or reject. */
export class InTurn {
  private readonly steps: (() => Soon<void>)[] = [];
  private isBusy = false;

  run(step: () => Soon<void>): void {
    this.steps.push(step);
    if (!this.isBusy) this.work();
  }

  private work(): void {
    this.isBusy = true;
    for (let step = this.steps.shift(); step; step = this.steps.shift()) {
      const working = step();
      if (working) return void working.then(() => this.work());
    }
    this.isBusy = false;
  }
}
