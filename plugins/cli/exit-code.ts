import { messageOf, ScorelError } from "@scorel/kernel";

/** Returns the exit code for an error: as in its error table, else 1. */
export function exitCodeOf(thrown: unknown): number {
  return thrown instanceof ScorelError ? thrown.exit : 1;
}

/** Prints an error, or each of its problems; with `verbose` also the stack. */
export function printError(thrown: unknown, stderr: { write(text: string): unknown }, verbose: boolean): void {
  const problems = thrown instanceof ScorelError && !thrown.isForeign ? thrown.data.problems : undefined;
  for (const text of Array.isArray(problems) ? problems : [messageOf(thrown)]) stderr.write(`scorel: ${text}\n`);
  if (verbose && thrown instanceof Error) stderr.write(`${stackOf(thrown)}\n`);
}

function stackOf(error: Error): string {
  const stack = error.stack ?? "";
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}
