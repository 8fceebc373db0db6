import type { ToolResultMessage } from "@mariozechner/pi-ai";
import { textOf } from "../wire/reply.ts";

/** The demonstration model's answer: a text and possibly one tool call. */
export interface Answer {
  text: string;
  call?: { name: string; args: Record<string, unknown> };
}

/** The task of `scorel demo`. The script below answers only this exact text. */
export const demoTask =
  'The test "a cart\'s total counts every item" fails. Find out why, repair the code, and run the tests again.';

/** One step of the script: what the previous result must show, and what to do then. */
interface Move {
  expects?: { what: string; holds(result: ToolResultMessage): boolean };
  does: Answer;
}

const runTests = { name: "Bash", args: { command: "node --test", description: "Run the tests" } };

const play: readonly Move[] = [
  { does: { text: "I run the tests first, to see it fail.", call: runTests } },
  {
    expects: { what: "one failing test", holds: (result) => /\bfail 1\b/.test(textOf(result)) },
    does: {
      text: "One test fails. I look for the function that it calls.",
      call: { name: "Grep", args: { pattern: "function total", mode: "content" } },
    },
  },
  {
    expects: { what: "a match in src/cart.js", holds: (result) => textOf(result).includes("src/cart.js") },
    does: { text: "It is in src/cart.js. I read it.", call: { name: "Read", args: { file_path: "src/cart.js" } } },
  },
  {
    expects: { what: "a loop that starts at 1", holds: (result) => textOf(result).includes("let i = 1;") },
    does: {
      text: "The loop starts at 1, so the first item is left out. I let it start at 0.",
      call: { name: "Edit", args: { file_path: "src/cart.js", old_string: "let i = 1;", new_string: "let i = 0;" } },
    },
  },
  {
    expects: { what: "a file that was changed", holds: (result) => !result.isError },
    does: { text: "Now the tests again.", call: runTests },
  },
  {
    expects: { what: "no failing test", holds: (result) => /\bfail 0\b/.test(textOf(result)) },
    does: { text: "All tests pass. The loop in src/cart.js left out the first item; now it counts every item." },
  },
];

/** Returns the next step, or an explanation without a call when the last result was unexpected. */
export function nextMove(results: readonly ToolResultMessage[]): Answer {
  const move = play[results.length];
  const last = results.at(-1);
  if (!move) return { text: "The demonstration is over." };
  if (last && move.expects && !move.expects.holds(last))
    return {
      text: `I expected ${move.expects.what}, but ${last.toolName} answered:\n${textOf(last)}\nSo I stop here.`,
    };
  return move.does;
}
