import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonical } from "@scorel/kit/files/paths";
import { WORKTREES } from "@scorel/kit/files/worktree-place";
import { lineOf } from "@scorel/kit/text/one-line";
import { isHalfMade } from "./admin.ts";
import type { Worktree } from "./contract.ts";
import type { Git } from "./git.ts";
import { innerRepository } from "./inner-repository.ts";
import { worktreesIn } from "./repository.ts";

/** Files in git's administrative folder of a worktree that show that an operation is unfinished, and its name. */
const BEGUN: Readonly<Record<string, string>> = {
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  BISECT_LOG: "a bisection",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
};

/** The problem of a worktree whose file `.git` was changed. */
export const ELSEWHERE = "its file .git names another repository than that of its checkout";

/** Paths with uncommitted changes, without ignored files. A nested repository ends with `/`. */
export async function changedFiles(git: Git, root: string, untracked: "all" | "no"): Promise<string[]> {
  // For submodules, only the commit is compared: otherwise git would run in them, with their own settings.
  const which = [`--untracked-files=${untracked}`, "--ignore-submodules=dirty", "--no-renames"];
  const text = await git.text(root, "look for changes", ["status", "--porcelain=v1", "-z", ...which]);
  return text
    .split("\0")
    .filter((row) => row !== "")
    .map((row) => row.slice("XY ".length));
}

/** Paths that git ignores. A folder that contains nothing else is listed once, with a `/` at its end. */
export async function ignoredFiles(git: Git, root: string): Promise<string[]> {
  const which = ["--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const text = await git.text(root, "look for files that it ignores", ["ls-files", ...which]);
  return text.split("\0").filter((name) => name !== "");
}

/** Why a worktree can be neither merged nor removed, whatever happens to its changes; undefined if it can. */
export async function obstacleIn(git: Git, worktree: Worktree): Promise<string | undefined> {
  const { path } = worktree;
  if (isHalfMade(path)) return "git has not finished making it, and files are missing there";
  if (await isElsewhere(git, path)) return ELSEWHERE;
  const folder = (await git.text(path, "find the repository", ["rev-parse", "--absolute-git-dir"])).trimEnd();
  const begun = Object.entries(BEGUN).find(([name]) => existsSync(join(folder, name)));
  if (begun) return `${begun[1]} has begun there and is not finished`;
  if (existsSync(join(folder, "modules"))) return "it has submodules of its own";
  const inside = worktreesIn({ folder: join(path, WORKTREES) });
  if (inside.length > 0) return `it has worktrees of its own (${inside.map(({ name }) => name).join(", ")})`;
  const repository = await innerRepository(path, await ignoredFiles(git, path));
  if (repository !== undefined) return repository;
  return await looseCommits(git, worktree);
}

/** Whether the worktree's file `.git`, which anybody may have changed, names another repository. Nothing may be committed there. */
export async function isElsewhere(git: Git, path: string): Promise<boolean> {
  const repositoryOf = async (folder: string) => {
    const args = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    return canonical((await git.text(folder, "find the repository", args)).trimEnd());
  };
  return (await repositoryOf(path)) !== (await repositoryOf(dirname(dirname(path))));
}

/** The problem if something other than the worktree's branch is checked out, since its work would be easy to miss. */
async function looseCommits(git: Git, { path, branch }: Worktree): Promise<string | undefined> {
  const out = await git.branch(path);
  if (out === branch) return undefined;
  return out === undefined
    ? `no branch is checked out there`
    : `the branch ${lineOf(out)} is checked out there, not ${branch}`;
}

/** Why the changes cannot be committed without losing something; undefined if they can. */
export function flawOfChanges(root: string, changed: readonly string[]): string | undefined {
  const inner = changed.find((path) => path.endsWith("/") || existsSync(join(root, path, ".git")));
  return inner === undefined ? undefined : `${lineOf(inner)} is a repository of its own`;
}
