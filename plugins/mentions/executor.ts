import type { BaseContext } from "@scorel/kernel";
import type { FilesService } from "@scorel/local/contract";

/** The service for the session's files, on this computer or of another executor. */
export function callable(ctx: BaseContext): FilesService | undefined {
  return ctx.find("files");
}
