import { messageOf } from "@scorel/kernel";
import { plainText } from "@scorel/kit/text/plain";
import type { FinishedWorktree, Worktree } from "./contract.ts";
import type { Git } from "./git.ts";
import { withWorktree } from "./locks.ts";
import { removeFolder } from "./remove-folder.ts";
import { type Checkout, isWorktree, ownerAround } from "./repository.ts";
import { changedFiles, flawOfChanges, obstacleIn } from "./state.ts";

/** Most files in the summary of changes. */
const NAMED = 40;
/** Author for commits if git knows no name, since work must not be lost for this reason. */
const NOBODY = ["user.name=Scorel", "user.email=scorel@localhost"];

/** Finishes work that started at a commit. If something fails, the worktree is left unchanged. */
export async function finish(worktree: Worktree & { commit: string }, message: string): Promise<FinishedWorktree> {
  const { branch, path } = worktree;
  const kept = (reason: string): FinishedWorktree => ({ state: "kept", branch, path, reason });
  const none = "its folder is no worktree any more";
  try {
    if (!isWorktree(path)) return kept(none);
    return await withWorktree(worktree, async () =>
      isWorktree(path) ? await finishIn(worktree, message) : kept(none),
    );
  } catch (thrown) {
    return kept(messageOf(thrown));
  }
}

async function finishIn(worktree: Worktree & { commit: string }, message: string): Promise<FinishedWorktree> {
  const { branch, path } = worktree;
  const checkout = ownerAround(path);
  const { git } = checkout;
  const obstacle = (await obstacleIn(git, worktree)) ?? (await commitAll(git, worktree, message));
  if (obstacle !== undefined) return { state: "kept", branch, path, reason: obstacle };
  const end = await git.text(path, "read the commit", ["rev-parse", "HEAD"]);
  const isChanged = end.trim() !== worktree.commit;
  const stat = isChanged ? await statOf(git, path, worktree.commit) : "";
  const ignored = await removeFolder(checkout, worktree);
  const gone = ignored.length > 0 && { ignored };
  if (isChanged) return { state: "branch", branch, stat, ...gone };
  await removeBranch(checkout, branch, worktree.commit);
  return { state: "unchanged", ...gone };
}

/** Commits all changes, if there are any. Returns the reason if that is not possible. */
export async function commitAll(git: Git, { path }: Worktree, message: string): Promise<string | undefined> {
  const changed = await changedFiles(git, path, "all");
  if (changed.length === 0) return undefined;
  const flaw = flawOfChanges(path, changed);
  if (flaw !== undefined) return flaw;
  await git.text(path, "add the changes", ["add", "--all"]);
  const knowsName = (await git.run(path, ["var", "GIT_COMMITTER_IDENT"])).code === 0;
  const args = ["commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"];
  const { code, said } = await git.run(path, args, { input: message, settings: knowsName ? [] : NOBODY });
  return code === 0 ? undefined : `its changes could not be committed (${plainText(said).trim().split("\n", 1)[0]})`;
}

/** Lists the files that differ from a commit, one per line, with numbers of changed lines. */
async function statOf(git: Git, path: string, base: string): Promise<string> {
  const options = [
    `--stat=76,60,${NAMED}`,
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
  ];
  return plainText(await git.text(path, "compare the commits", ["diff", ...options, base, "HEAD", "--"])).trimEnd();
}

/** Removes a branch if it still points to this commit. */
export async function removeBranch({ git, root }: Checkout, branch: string, at: string): Promise<void> {
  await git.text(root, `remove the branch ${branch}`, ["update-ref", "-d", `refs/heads/${branch}`, at]);
}
