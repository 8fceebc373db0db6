import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  INSPECT_PRESET: { exit: 2, text: (a: { problems: readonly string[] }) => a.problems.join("\n") },
  INSPECT_NO_PROMPT: {
    exit: 2,
    text: () =>
      'This session has no plugin "prompt", so its model gets no instructions. Add "prompt" to "use" in the preset.',
  },
  INSPECT_TAIL: { exit: 2, text: (a: { given: string }) => `--tail takes a number of lines, not "${a.given}".` },
});
