import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { type Lock, takeLock } from "@scorel/kit/files/lock";
import { visibleName } from "@scorel/kit/text/plain";
import { isOutOfRoom, reasonOf } from "@scorel/kit/values/coded-error";
import type { Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { lockOf, prepareFolder } from "./folder.ts";
import { type Checkout, type FoundWorktree, findWorktree, ownerAround } from "./repository.ts";

/** Milliseconds to wait for another merge, which may take a while in a large repository. */
const MERGE_MS = 60_000;
/** Milliseconds to wait for another command with the same worktree, which may be checking out files from a slow disk. */
const WORKTREE_MS = 10 * 60_000;
/** Name of the lock file for the checkout, in the folder of its worktrees. */
const LOCK = ".lock";

/**
 * Runs `work` while no other command creates, merges or removes this worktree. The folder of worktrees must exist. Throws WORKTREE_BUSY,
 * WORKTREE_NO_LOCK.
 */
export async function withWorktree<T>(worktree: Worktree, work: () => Promise<T>): Promise<T> {
  return holding(lockOf(worktree), WORKTREE_MS, work);
}

/**
 * Finds a worktree, or its branch if only that is left, and runs `work` with it as `withWorktree` does. Throws WORKTREE_BUSY,
 * WORKTREE_NO_LOCK, WORKTREE_UNKNOWN, WORKTREE_NAME, WORKTREE_FOLDER.
 */
export async function withFoundWorktree<T>(
  cwd: string,
  name: string,
  work: (checkout: Checkout, worktree: FoundWorktree) => Promise<T>,
): Promise<T> {
  const checkout = ownerAround(cwd);
  const found = await findWorktree(checkout, name);
  await prepareFolder(checkout, found);
  return withWorktree(found, async () => work(checkout, await findWorktree(checkout, name)));
}

/**
 * Runs `work` while no other command merges into this checkout, since two merges would undo each other. Throws WORKTREE_BUSY,
 * WORKTREE_NO_LOCK.
 */
export async function withCheckout<T>({ folder }: Checkout, work: () => Promise<T>): Promise<T> {
  return holding(join(folder, LOCK), MERGE_MS, work);
}

async function holding<T>(path: string, patience: number, work: () => Promise<T>): Promise<T> {
  const lock = await lockAt(path, patience);
  if (!lock) throw errors.WORKTREE_BUSY({ folder: visibleName(dirname(path)), seconds: patience / 1_000 });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** If the disk is full, locks in the folder for temporary files instead: removing a worktree frees space. */
async function lockAt(path: string, patience: number): Promise<Lock | undefined> {
  try {
    return await takeLock(path, patience);
  } catch (thrown) {
    if (!isOutOfRoom(thrown))
      throw errors.WORKTREE_NO_LOCK(
        { folder: visibleName(dirname(path)), reason: reasonOf(thrown) },
        { cause: thrown },
      );
    return takeLock(join(tmpdir(), `scorel-worktree-${sha256Of(path).slice(0, 32)}.lock`), patience);
  }
}
