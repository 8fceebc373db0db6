import { describe, expect, it } from "vitest";
import { type ExecutorCase, sandboxContract } from "./contracts/sandbox.ts";

/** Executors that have to be covered, whatever this machine lacks: names with blanks between them. */
const required = (process.env.SCOREL_TEST_EXECUTORS ?? "").split(" ");

/** Holds an executor to the contract where it works, and says so where it does not. */
export function coverExecutor(which: ExecutorCase, problem: string | undefined, around?: () => void): void {
  describe(`the executor ${which.executor}`, () => {
    if (problem === undefined) {
      around?.();
      sandboxContract(which);
    } else {
      it(`is not covered here: ${problem}`, () => expect(required).not.toContain(which.executor));
    }
  });
}
