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

/** Milliseconds to wait for another merge: those of large repositories take a while. */
const MERGE_MS = 60_000;
/** Milliseconds to wait for another command with the same worktree, which may check out all files from a slow disk. */
const WORKTREE_MS = 10 * 60_000;
/** The lock of the checkout, beside the folders of worktrees. */
const LOCK = ".lock";

/** Runs `work` while no other command makes, merges or removes this worktree. Needs the folder of worktrees. Throws WORKTREE_BUSY. */
export async function withWorktree<T>(worktree: Worktree, work: () => Promise<T>): Promise<T> {
  return holding(lockOf(worktree), WORKTREE_MS, work);
}

/** Finds a worktree, or the branch that is left of it, and runs `work` with it as `withWorktree` does. Throws WORKTREE_BUSY and WORKTREE_UNKNOWN. */
export async function alone<T>(
  cwd: string,
  name: string,
  work: (checkout: Checkout, worktree: FoundWorktree) => Promise<T>,
): Promise<T> {
  const checkout = ownerAround(cwd);
  const found = await findWorktree(checkout, name);
  await prepareFolder(checkout, found);
  return withWorktree(found, async () => work(checkout, await findWorktree(checkout, name)));
}

/** Runs `work` while no other command merges into this checkout: two merges would undo each other. Throws WORKTREE_BUSY. */
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

/** On a full disk, the lock stands in the folder for temporary files: removing a worktree is what makes room. */
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
