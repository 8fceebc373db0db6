import type { BaseContext } from "@scorel/kernel";
import { checkedReading } from "@scorel/kit/executor/files";
import type { FilesService } from "@scorel/local/contract";

/** The part of the service `files` that a guard uses. */
export type ExecutorFiles = Pick<FilesService, "local" | "realpath" | "stat" | "read" | "list">;

/**
 * Milliseconds for each call. Shorter than a guard's own limit, so that the error names the executor that did not
 * answer.
 */
const LIMIT_MS = 10_000;

/** The session's files. Each call has a time limit, and each answer is checked. */
export function filesOf(ctx: BaseContext): ExecutorFiles | undefined {
  const files = ctx.find("files");
  const pluginOf = (method: string) => ctx.providerOf("files", method as "read");
  return files && checkedReading(files, { service: "files", pluginOf }, { questionMs: LIMIT_MS, transferMs: LIMIT_MS });
}
