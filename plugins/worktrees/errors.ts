import { defineErrors } from "@scorel/kernel";

/** The first names of a list, and how many more there are. */
export const listed = (names: readonly string[]) =>
  `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;

export const errors = defineErrors({
  WORKTREE_NO_GIT: {
    exit: 2,
    text: (a: { cwd: string }) =>
      `${a.cwd} is not in a git repository, so it cannot have a worktree. Go to a repository, or create one with "git init" and a first commit.`,
  },
  WORKTREE_NO_COMMIT: {
    exit: 2,
    text: (a: { root: string }) =>
      `The repository ${a.root} has no commit yet, and a worktree begins with one. Make a first commit: git commit --allow-empty -m "Begin"`,
  },
  WORKTREE_BUSY: (a: { folder: string; seconds: number }) =>
    `Another command has been at work in ${a.folder} for ${a.seconds} s. Wait until it ends, and try again.`,
  WORKTREE_NO_LOCK: (a: { folder: string; reason: string }) =>
    `Worktrees in ${a.folder} cannot be changed: a lock cannot be written there (${a.reason}).`,
  WORKTREE_HALF_MADE: (a: { name: string; path: string }) =>
    `The worktree "${a.name}" is not complete: git has not finished creating ${a.path}. If git is no longer running there, save what you have there, and remove it: git worktree remove --force --force ${a.path}`,
  WORKTREE_BRANCH_USED: (a: { branch: string; path: string }) =>
    `The branch ${a.branch} is checked out in ${a.path}, and can be in one place only. Check out another branch there, or choose another name.`,
  WORKTREE_REMAINS: (a: { name: string; path: string; reason: string }) =>
    `The worktree "${a.name}" is removed, but its files could not all be deleted (${a.reason}). What is left is in ${a.path}.`,
  WORKTREE_NAME: {
    exit: 2,
    text: (a: { name: string }) =>
      `"${a.name}" cannot be the name of a worktree. Use up to 50 letters, digits, - and _, with dots only inside, beginning with a letter or digit.`,
  },
  WORKTREE_FOLDER: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `No worktree can be created in ${a.path}: ${a.reason}. Move it away, so that Scorel can make the folder.`,
  },
  WORKTREE_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; root: string; known: readonly string[] }) =>
      `There is no worktree "${a.name}" of ${a.root}. ${a.known.length === 0 ? "It has none." : `Existing worktrees: ${listed(a.known)}`}`,
  },
  WORKTREE_NO_HOST: { exit: 2, text: () => 'Worktrees need a host. Remove "host" from "without" in the preset.' },
  WORKTREE_SESSION: {
    exit: 2,
    text: (a: { option: string }) =>
      `--worktree is for a new session or with --continue; a session that is named with ${a.option} stays in its own folder. Leave one of them out.`,
  },
  WORKTREE_GIT: (a: { what: string; reason: string }) => `Git could not ${a.what}: ${a.reason}`,
  WORKTREE_UNCLEAN: (a: { name: string; path: string; count: number }) =>
    `The worktree "${a.name}" has ${a.count} ${a.count === 1 ? "file" : "files"} with changes that are not committed (git -C ${a.path} status). Commit or discard them there, or add --commit to commit them to its branch.`,
  WORKTREE_UNMERGED: (a: { name: string; branch: string }) =>
    `No other branch has all commits of ${a.branch}, so it stays. Merge it with "scorel worktree merge ${a.name}", or add --discard to remove it.`,
  WORKTREE_KEPT: (a: { name: string; path: string; reason: string }) =>
    `The worktree "${a.name}" was not changed: ${a.reason}. Its folder is ${a.path}.`,
  WORKTREE_IN_USE: (a: { name: string; sessionId: string }) =>
    `The session ${a.sessionId} is open in the worktree "${a.name}". Leave it there first, for example with /exit, and end any running turn.`,
  WORKTREE_ENTERED: (a: { name: string; pid: number }) =>
    `The process ${a.pid} was started with --worktree ${a.name} and is still running. End it first, for example with /exit.`,
  WORKTREE_CONTINUE: {
    exit: 2,
    text: (a: { known: readonly string[] }) =>
      `--continue needs a worktree that exists, as in "--worktree NAME --continue". ${a.known.length === 0 ? "There is none." : `Existing worktrees: ${listed(a.known)}`}`,
  },
  WORKTREE_DETACHED: (a: { root: string }) =>
    `No branch is checked out in ${a.root}, so a merge could get lost. Check out the branch to merge into: git switch BRANCH`,
  WORKTREE_CHECKOUT_UNCLEAN: (a: { root: string; count: number }) =>
    `${a.root} has ${a.count} ${a.count === 1 ? "file" : "files"} with changes that are not committed, which a merge could mix up. Commit or stash them first.`,
  WORKTREE_OVERWRITES: (a: { root: string; files: readonly string[] }) =>
    `The merge would replace files in ${a.root} that git does not track: ${listed(a.files)}. Move them away first.`,
  WORKTREE_CONFLICT: (a: { branch: string; root: string; files: readonly string[] }) =>
    `The branch ${a.branch} and what is checked out in ${a.root} have both changed ${a.files.length === 0 ? "the same places" : listed(a.files)}. Nothing was merged. Merge it yourself (git merge ${a.branch}), then remove the worktree.`,
});
