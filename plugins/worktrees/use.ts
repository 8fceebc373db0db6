import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type {} from "@scorel/daemon/contract";
import type { OperationContext } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { holderOf, isHeld, tryLock } from "@scorel/kit/files/lock";
import { isWithin } from "@scorel/kit/files/paths";
import { removeIfPresent } from "@scorel/kit/files/private";
import { newId } from "@scorel/kit/values/id";
import type { Context } from "./context.ts";
import type { Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { isWorktree, ownerAround, worktreeNamed } from "./repository.ts";

/** Prefix of the names of mark files, in the folder of worktrees. */
const MARK = ".used-";

type Request = OperationContext["request"];

/**
 * Closes the sessions of a worktree that nobody uses, in this process or in the background host. Throws WORKTREE_ENTERED if a process still
 * works there, and WORKTREE_IN_USE if a session of any process is still open there.
 */
export async function leaveWorktree(ctx: Context, request: Request, cwd: string, given: string): Promise<void> {
  const { name, path } = worktreeNamed(ownerAround(cwd), given);
  if (!isWorktree(path)) return;
  const close = (ask: Request) => ask("close_unused_sessions", { cwd: path });
  try {
    await close(request);
  } catch (thrown) {
    if (codeOf(thrown) === "DAEMON_NONE") await byHost(ctx, close);
    else if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
  }
  assertNotEntered(path, name);
  assertUnused(ctx, path, name);
}

/**
 * Marks that this process works in a worktree, where it may not have stored a session yet. Returns a function that removes the mark. A mark
 * of a killed process is ignored.
 */
export function markUsed({ name, path }: Worktree): () => void {
  const lock = tryLock(join(dirname(path), `${MARK}${name}~${newId()}`));
  return () => void (lock && "release" in lock && lock.release());
}

/** Throws WORKTREE_ENTERED if a process works in the worktree. Removes marks of processes that have ended. */
function assertNotEntered(path: string, name: string): void {
  const folder = dirname(path);
  const marks = readdirSync(folder).filter((each) => each.startsWith(`${MARK}${name}~`));
  for (const mark of marks.map((each) => join(folder, each))) {
    const holder = holderOf(mark);
    if (holder && isHeld(mark, holder)) throw errors.WORKTREE_ENTERED({ name, pid: holder.pid });
    removeIfPresent(mark);
  }
}

/** Sends requests to the background host, if one is running. */
async function byHost({ find }: Context, ask: (request: Request) => Promise<unknown>): Promise<void> {
  try {
    const client = await find("daemon")?.connect("worktree", { start: false });
    if (!client) return;
    await ask(client.request.bind(client)).finally(() => client.close());
  } catch (thrown) {
    if (codeOf(thrown) !== "DAEMON_NONE") throw thrown;
  }
}

/** Throws WORKTREE_IN_USE if a session of this or another process is open in the worktree. */
function assertUnused({ find }: Context, path: string, name: string): void {
  const sessions = find("sessionLogs");
  if (!sessions) return;
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
