import type { BaseContext } from "@scorel/kernel";
import { checkedReading } from "@scorel/kit/executor/files";
import type { FilesService } from "@scorel/local/contract";

/** The part of the service `files` that a guard uses. */
export type ExecutorFiles = Pick<FilesService, "local" | "realpath" | "stat" | "read" | "list">;

/** Shorter than the limit of a guard, so that the executor is blamed for what it does not answer. */
const LIMIT_MS = 10_000;

/** The session's files; each call is limited, and each answer checked. */
export function filesOf(ctx: BaseContext): ExecutorFiles | undefined {
  const files = ctx.find("files");
  const pluginOf = (method: string) => ctx.providerOf("files", method as "read");
  return files && checkedReading(files, { service: "files", pluginOf }, { questionMs: LIMIT_MS, transferMs: LIMIT_MS });
}
