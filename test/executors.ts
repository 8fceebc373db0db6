import { describe, expect, it } from "vitest";
import { runnerContract } from "./contracts/runner.ts";
import { type ExecutorCase, sandboxContract } from "./contracts/sandbox.ts";

/** Executors that have to be covered, whatever this machine lacks: names with blanks between them. */
const required = (process.env.SCOREL_TEST_EXECUTORS ?? "").split(" ");

/** Holds an executor, and skills' programs in it, to the contracts where it works, and says so where it does not. */
export function coverExecutor(which: ExecutorCase, problem: string | undefined, around?: () => void): void {
  describe(`the executor ${which.executor}`, () => {
    if (problem === undefined) {
      around?.();
      sandboxContract(which);
      describe("a skill's program in it", () => runnerContract(which));
    } else {
      it(`is not covered here: ${problem}`, () => expect(required).not.toContain(which.executor));
    }
  });
}
