import { codeOf, ScorelError } from "@scorel/kernel";
import type { ToolOutput } from "@scorel/tools/contract";
import { errors } from "./errors.ts";

/** A result with one text, and details for clients and projections. */
export function answer(text: string, details?: Record<string, unknown>): ToolOutput {
  return { content: [{ type: "text", text }], ...(details && { details }) };
}

/** Runs a tool's work. Errors that the model can act on become results; an abort is rethrown. */
export async function answering(signal: AbortSignal | undefined, work: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    const failure = readable(thrown);
    return { ...answer(failure.message, { code: failure.code }), isError: true };
  }
}

/** Converts coded and file system errors; rethrows anything else. */
function readable(thrown: unknown): ScorelError {
  const failure = accessError(thrown);
  if (failure instanceof ScorelError) return failure;
  throw thrown;
}

/** FILE_ACCESS for a file system error; any other error unchanged. */
export function accessError(thrown: unknown, path?: string): unknown {
  const { path: named = "the file", syscall } = thrown as NodeJS.ErrnoException;
  const code = codeOf(thrown);
  if (thrown instanceof ScorelError || (syscall === undefined && REASONS[code] === undefined)) return thrown;
  return errors.FILE_ACCESS({ path: path ?? String(named), reason: REASONS[code] ?? code }, { cause: thrown });
}

const REASONS: Readonly<Record<string, string | undefined>> = {
  EACCES: "permission denied",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file, not a directory",
  EISDIR: "it is a directory",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
};
