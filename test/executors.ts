import { describe } from "vitest";
import { runnerContract } from "./contracts/runner.ts";
import { type ExecutorCase, sandboxContract } from "./contracts/sandbox.ts";
import { describeUnless } from "./optional.ts";

/**
 * Runs the contract tests of an executor, and of skills' programs in it, if it works here; otherwise reports them as not run.
 */
export function coverExecutor(which: ExecutorCase, problem: string | undefined, around?: () => void): void {
  describeUnless(which.executor, problem, `the executor ${which.executor}`, () => {
    around?.();
    sandboxContract(which);
    describe("a skill's program in it", () => runnerContract(which));
  });
}
