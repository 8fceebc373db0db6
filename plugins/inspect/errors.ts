import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  INSPECT_PRESET: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  INSPECT_NO_PROMPT: () =>
    'This session has no plugin "prompt", so its model is told nothing. Add "prompt" to "use" in the preset.',
  INSPECT_TAIL: (a: { given: string }) => `--tail takes a number of lines, not "${a.given}".`,
});
