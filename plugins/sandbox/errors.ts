import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SANDBOX_NONE: (a: { tried: readonly { executor: string; reason: string }[] }) =>
    [
      "No sandbox works here, so nothing was run:",
      ...a.tried.map(({ executor, reason }) => `  ${executor}: ${reason}`),
      'Install bubblewrap, or set [sandbox] image and start docker or podman. `[sandbox] executor = "local"` in ~/.scorel/config.toml (or --sandbox local) runs programs without a sandbox.',
    ].join("\n"),
  SANDBOX_JOB: (a: { reason: string }) => `The program cannot be run in a sandbox: ${a.reason}.`,
  SANDBOX_START: (a: { executor: string; reason: string }) =>
    `${a.executor} did not start the program: ${a.reason}. Choose another one with [sandbox] executor.`,
  SANDBOX_STDIN: (a: { reason: string }) =>
    `The program no longer reads its input (${a.reason}). Poll it to get its result.`,
});
