import type { Page, PageParams } from "@scorel/host/contract";

/** A worktree of a git repository, with a branch of its own, that Scorel has created. */
export interface Worktree {
  name: string;
  /** Its folder, inside the checkout from which it was created. */
  path: string;
  /** The branch that was created for it. */
  branch: string;
}

/** A worktree that was created or found. */
export interface OpenedWorktree extends Worktree {
  /** The folder in it that corresponds to the given directory. */
  cwd: string;
  /** The commit that is checked out. */
  commit: string;
  /** False if the worktree existed before. */
  created: boolean;
  /** Number of tracked files in the checkout with uncommitted changes, which a new worktree does not have. 0 if it existed before. */
  leftOut: number;
}

export interface ListedWorktree extends Worktree {
  /** Number of commits that the checkout does not have. */
  commits: number;
  /** Number of files with uncommitted changes. */
  changes: number;
  /** True if only its branch is left, without a folder, for example after a subagent's work. */
  isBranchOnly?: boolean;
  /** Why it can be neither merged nor removed at present, such as an unfinished rebase. */
  problem?: string;
}

/** How the work in a worktree ended. */
export type FinishedWorktree =
  /** Nothing was changed, so the worktree and its branch were removed. `ignored`: files ignored by git that were removed with it. */
  | { state: "unchanged"; ignored?: string[] }
  /** All work is committed to the branch, and the worktree was removed. `stat` lists the files that differ, one per line. */
  | { state: "branch"; branch: string; stat: string; ignored?: string[] }
  /** The worktree was left unchanged, since removing it could lose something. */
  | { state: "kept"; branch: string; path: string; reason: string };

/** How uncommitted changes are treated. */
export interface CommitOption {
  /** Commits them to the branch. Default: uncommitted changes are an error. */
  commit?: boolean | undefined;
}

export interface RemoveOptions extends CommitOption {
  /** Also removes the branch, even if no other branch has its commits. */
  discard?: boolean | undefined;
}

/** The service `worktrees`: worktrees of git repositories. Its methods throw WORKTREE errors. */
export interface WorktreesService {
  /**
   * Creates a worktree of the repository that contains a directory, at the commit that is checked out there. Returns an existing one of
   * that name.
   */
  create(cwd: string, name?: string): Promise<OpenedWorktree>;
  /**
   * Lists the worktrees that were created from the checkout that contains a directory, including those of which only the branch is left.
   */
  list(cwd: string): Promise<ListedWorktree[]>;
  /**
   * Merges the branch of a worktree into the branch that is checked out. Then removes the worktree and its branch, unless `keep` is true.
   */
  merge(cwd: string, name: string, options?: CommitOption & { keep?: boolean | undefined }): Promise<{ text: string }>;
  /** Removes a worktree. Its branch stays, unless another branch has all of its commits or `discard` is true. */
  remove(cwd: string, name: string, options?: RemoveOptions): Promise<{ text: string }>;
  /**
   * Finishes work that started at a commit: commits the changes with this message, and removes the worktree if nothing can be lost. Never
   * rejects.
   */
  finish(worktree: Worktree & { commit: string }, message: string): Promise<FinishedWorktree>;
}

declare module "@scorel/kernel" {
  interface Services {
    worktrees: WorktreesService;
  }
}

declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Creates a worktree of the repository that contains a directory, or returns the one of that name. `worktree.cwd` is the folder to work
     * in.
     */
    create_worktree: { params: { cwd: string; name?: string }; result: { worktree: OpenedWorktree } };
    list_worktrees: { params: { cwd: string } & PageParams; result: { worktrees: ListedWorktree[] } & Page };
    /** Merges a worktree's branch into the branch that is checked out. Then removes the worktree and its branch, unless `keep` is true. */
    merge_worktree: {
      params: { cwd: string; name: string; commit?: boolean; keep?: boolean };
      result: { text: string };
    };
    /**
     * Removes a worktree. Its branch stays, unless another branch has all of its commits or `discard` is true: then uncommitted changes are
     * committed, so that they can be recovered, and the branch is removed.
     */
    remove_worktree: {
      params: { cwd: string; name: string; commit?: boolean; discard?: boolean };
      result: { text: string };
    };
  }
}
