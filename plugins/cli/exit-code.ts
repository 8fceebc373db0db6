import { messageOf, ScorelError } from "@scorel/kernel";

/** The exit code of a command that failed: what the error's own table says, 1 for errors of no table. */
export function exitCodeOf(thrown: unknown): number {
  return thrown instanceof ScorelError ? thrown.exit : 1;
}

/** Says what was wrong, each problem of an error that has several; the stack only when asked for. */
export function printError(thrown: unknown, stderr: { write(text: string): unknown }, verbose: boolean): void {
  const problems = thrown instanceof ScorelError ? thrown.data.problems : undefined;
  for (const text of Array.isArray(problems) ? problems : [messageOf(thrown)]) stderr.write(`scorel: ${text}\n`);
  if (verbose && thrown instanceof Error) stderr.write(`${stackOf(thrown)}\n`);
}

function stackOf(error: Error): string {
  const stack = error.stack ?? "";
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}
