import { homedir } from "node:os";
import { join } from "node:path";
import type { BaseContext } from "@scorel/kernel";

/** The path of the journal of a session's restore. */
export function journalOf(ctx: BaseContext): string {
  const home = ctx.find("workspace")?.home ?? homedir();
  return join(home, ".scorel", "restores", `${ctx.session.id}.json`);
}
