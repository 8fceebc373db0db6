import type { Page, PageParams } from "@scorel/host/contract";

/** A working directory of its own for a branch of a repository, made by Scorel. */
export interface Worktree {
  name: string;
  /** The folder, below the checkout that it was made of. */
  path: string;
  /** The branch that it was made for. */
  branch: string;
}

/** A worktree that was made or found. */
export interface OpenedWorktree extends Worktree {
  /** The folder in it that stands for the one that was asked about. */
  cwd: string;
  /** The commit that is checked out. */
  commit: string;
  /** False if it existed before. */
  created: boolean;
  /** Files of the checkout with changes that are not committed, and so are not in the new worktree. */
  leftOut: number;
}

export interface ListedWorktree extends Worktree {
  /** Commits that the checkout does not have. */
  commits: number;
  /** Files with changes that are not committed. */
  changes: number;
  /** True if only its branch is left, with no folder, as after a subagent's work. */
  isBranchOnly?: boolean;
  /** Why it can be neither merged nor removed at present, such as a rebase that is not finished. */
  problem?: string;
}

/** How the work in a worktree ended. */
export type FinishedWorktree =
  /** Nothing was changed; the worktree and its branch are gone. `ignored`: files that git ignores, which went with it. */
  | { state: "unchanged"; ignored?: string[] }
  /** All work is in the commits of the branch; the worktree is gone. `stat` says in lines which files differ. */
  | { state: "branch"; branch: string; stat: string; ignored?: string[] }
  /** The worktree is as it was, since removing it could lose something. */
  | { state: "kept"; branch: string; path: string; reason: string };

/** What to do with changes that are not committed. */
export interface CommitOption {
  /** Commits them to the branch. Default: they are an error. */
  commit?: boolean | undefined;
}

export interface RemoveOptions extends CommitOption {
  /** Removes the branch, too, with commits that no other branch has. */
  discard?: boolean | undefined;
}

/** The service `worktrees`: worktrees of git repositories. Its methods throw WORKTREE errors. */
export interface WorktreesService {
  /** Makes a worktree of the repository around a directory, at the commit that is checked out there; or returns the one of that name. */
  create(cwd: string, name?: string): Promise<OpenedWorktree>;
  /** Lists the worktrees that were made of the checkout around a directory, and those of which only the branch is left. */
  list(cwd: string): Promise<ListedWorktree[]>;
  /** Merges the branch of a worktree into what the checkout has checked out, and removes both unless they are to be kept. */
  merge(cwd: string, name: string, options?: CommitOption & { keep?: boolean | undefined }): Promise<{ text: string }>;
  /** Removes a worktree. Its branch stays, unless another branch has all of its commits or it is discarded. */
  remove(cwd: string, name: string, options?: RemoveOptions): Promise<{ text: string }>;
  /** Ends work that began at a commit: commits what was changed, and removes the worktree if nothing can be lost. Never rejects. */
  finish(worktree: Worktree & { commit: string }, message: string): Promise<FinishedWorktree>;
}

declare module "@scorel/kernel" {
  interface Services {
    worktrees: WorktreesService;
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Makes a worktree of the repository around a directory, or returns the one of that name. `worktree.cwd` is where to work. */
    create_worktree: { params: { cwd: string; name?: string }; result: { worktree: OpenedWorktree } };
    list_worktrees: { params: { cwd: string } & PageParams; result: { worktrees: ListedWorktree[] } & Page };
    /** Merges a worktree's branch into what its checkout has checked out, and removes both, unless `keep` is true. */
    merge_worktree: {
      params: { cwd: string; name: string; commit?: boolean; keep?: boolean };
      result: { text: string };
    };
    /**
     * Removes a worktree. Its branch stays, unless another branch has all of its commits or `discard` is true: then everything is
     * committed, and the branch removed.
     */
    remove_worktree: {
      params: { cwd: string; name: string; commit?: boolean; discard?: boolean };
      result: { text: string };
    };
  }
}
