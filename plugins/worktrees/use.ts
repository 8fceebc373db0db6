import { existsSync } from "node:fs";
import { join } from "node:path";
import type {} from "@scorel/daemon/contract";
import type { OperationContext } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { isWithin } from "@scorel/kit/files/paths";
import type { Context } from "./context.ts";
import { errors } from "./errors.ts";
import { existingWorktree, ownerAround } from "./repository.ts";

type Request = OperationContext["request"];

/**
 * Lets the host in the background close the sessions of a worktree that nobody uses. Throws WORKTREE_IN_USE if a session, of this or another
 * process, is open there then.
 */
export async function leaveWorktree(ctx: Context, request: Request, cwd: string, name: string): Promise<void> {
  const { path } = existingWorktree(ownerAround(cwd), name);
  const close = (ask: Request) => ask("close_unused_sessions", { cwd: path });
  try {
    await close(request);
  } catch (thrown) {
    if (codeOf(thrown) === "DAEMON_NONE") await byHost(ctx, close);
    else if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
  }
  assertUnused(ctx, cwd, name);
}

/** Asks the host in the background, if one runs. */
async function byHost({ find }: Context, ask: (request: Request) => Promise<unknown>): Promise<void> {
  try {
    const client = await find("daemon")?.connect("worktree", { start: false });
    if (!client) return;
    await ask(client.request.bind(client)).finally(() => client.close());
  } catch (thrown) {
    if (codeOf(thrown) !== "DAEMON_NONE") throw thrown;
  }
}

/** Throws WORKTREE_IN_USE if a session, of this or another process, is open in the worktree. */
function assertUnused({ find }: Context, cwd: string, name: string): void {
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
