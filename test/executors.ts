import { describe } from "vitest";
import { runnerContract } from "./contracts/runner.ts";
import { type ExecutorCase, sandboxContract } from "./contracts/sandbox.ts";
import { describeUnless } from "./optional.ts";

/** Holds an executor, and programs of skills in it, to the contracts where it works; reports it as not run elsewhere. */
export function coverExecutor(which: ExecutorCase, problem: string | undefined, around?: () => void): void {
  describeUnless(which.executor, problem, `the executor ${which.executor}`, () => {
    around?.();
    sandboxContract(which);
    describe("a skill's program in it", () => runnerContract(which));
  });
}
