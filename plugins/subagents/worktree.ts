import { lineOf } from "@scorel/kit/text/one-line";
import type { FinishedWorktree, OpenedWorktree } from "@scorel/worktrees/contract";
import type { Context, TaskParams } from "./context.ts";
import type { AgentDefinition } from "./contract.ts";
import { errors } from "./errors.ts";

/** Where a subagent works, and how its work there is finished. */
export interface WorkPlace {
  cwd: string;
  /** Folder of its worktree; absent if it works in the parent's directory. */
  path?: string;
  /** Finishes the work. Resolves with undefined in the parent's directory, where nothing has to be done. */
  finish(sessionId: string): Promise<FinishedWorktree | undefined>;
}

/**
 * Returns the place for a task: a worktree if the call or the definition requires one, otherwise the parent's directory. Throws
 * SUBAGENT_NO_WORKTREES and WORKTREE errors.
 */
export async function placeFor(
  ctx: Context,
  params: TaskParams,
  agent: AgentDefinition | undefined,
): Promise<WorkPlace> {
  const { cwd } = ctx.workspace;
  if ((params.isolation ?? agent?.isolation) === undefined) return { cwd, finish: async () => undefined };
  const worktrees = ctx.find("worktrees");
  if (!worktrees) throw errors.SUBAGENT_NO_WORKTREES();
  const worktree: OpenedWorktree = await worktrees.create(cwd);
  const message = (sessionId: string) => `${lineOf(params.description)}\n\nBy a subagent, session ${sessionId}`;
  return {
    cwd: worktree.cwd,
    path: worktree.path,
    finish: (sessionId) => worktrees.finish(worktree, message(sessionId)),
  };
}

/** Describes the finished work in a worktree for the parent's model. */
export function wordsAbout(ended: FinishedWorktree | undefined): string {
  switch (ended?.state) {
    case undefined:
      return "";
    case "unchanged":
      return `[It has changed nothing in its worktree that git does not ignore. The worktree is removed.${goneWith(ended)}]`;
    case "branch":
      return `[Its changes are on the branch ${ended.branch}, and not in the working directory. To take them over: git merge ${ended.branch}${ended.ignored ? "." : ""}${goneWith(ended)}]\n${ended.stat}`;
    case "kept":
      return `[Its worktree ${ended.path} (branch ${ended.branch}) is kept: ${ended.reason}]`;
  }
}

/** Most files and folders that a report names. */
const NAMED = 10;

function goneWith({ ignored = [] }: { ignored?: readonly string[] }): string {
  if (ignored.length === 0) return "";
  const more = ignored.length > NAMED ? ` and ${ignored.length - NAMED} more` : "";
  return ` Files that git ignores went with its worktree: ${ignored.slice(0, NAMED).join(", ")}${more}.`;
}
