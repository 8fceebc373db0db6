import { readFileSync } from "node:fs";

/** Whether the source of an extension declares host scope. Comments count unless they were removed. */
export function declaresHostScope(source: string): boolean {
  return /\bscope\b\s*[:=]\s*["'`]host["'`]/.test(source);
}

/**
 * Whether an extension has host scope, judged by its source text, so that starting a command runs no session extension. True for a file that
 * cannot be read: it may have, and loading it reports why.
 */
export function mayHaveHostScope(file: string): boolean {
  try {
    return declaresHostScope(readFileSync(file, "utf8"));
  } catch {
    return true;
  }
}
