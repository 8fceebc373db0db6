import { existsSync } from "node:fs";
import { join } from "node:path";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { isWithin } from "@scorel/kit/files/paths";
import type { Context } from "./context.ts";
import { errors } from "./errors.ts";
import { existingWorktree, ownerAround } from "./repository.ts";

/** Throws WORKTREE_IN_USE if a session, of this or another process, is open in the worktree. */
export function assertUnused({ find }: Context, cwd: string, name: string): void {
  const sessions = find("sessionLogs");
  if (!sessions) return;
  const { path } = existingWorktree(ownerAround(cwd), name);
  const { sessionsDir, logs } = sessions;
  for (const sessionId of sessions.locked()) {
    const lock = sessions.lockFile(sessionId);
    const holder = holderOf(lock);
    const log = join(sessionsDir, sessionId + logs.ending);
    if (!holder || !isHeld(lock, holder) || !existsSync(log)) continue;
    const { cwd: its } = logs.header(log).header.meta as { cwd?: string };
    if (its !== undefined && isWithin(path, its)) throw errors.WORKTREE_IN_USE({ name, sessionId });
  }
}
