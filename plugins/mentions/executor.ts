import type { BaseContext } from "@scorel/kernel";
import type { FilesService } from "@scorel/local/contract";

/** The session's files, of this computer or of an executor that stands in. */
export function callable(ctx: BaseContext): FilesService | undefined {
  return ctx.find("files");
}
