import { lineOf } from "@scorel/kit/text/one-line";
import type { FinishedWorktree, OpenedWorktree } from "@scorel/worktrees/contract";
import type { Context, TaskParams } from "./context.ts";
import type { AgentDefinition } from "./contract.ts";
import { errors } from "./errors.ts";

/** Where a subagent works, and what is to be done there at the end. */
export interface WorkPlace {
  cwd: string;
  /** The folder of its worktree; absent in the directory of the parent. */
  path?: string;
  /** Ends the work; undefined in the directory of the parent, where nothing is to be done. */
  finish(sessionId: string): Promise<FinishedWorktree | undefined>;
}

/** The place for a task: a worktree if the call or the definition wants one. Throws SUBAGENT_NO_WORKTREES and WORKTREE errors. */
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

/** What the model of the parent is told about the work in a worktree. */
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

/** Files and folders that are named in a report. */
const NAMED = 10;

function goneWith({ ignored = [] }: { ignored?: readonly string[] }): string {
  if (ignored.length === 0) return "";
  const more = ignored.length > NAMED ? ` and ${ignored.length - NAMED} more` : "";
  return ` Files that git ignores went with its worktree: ${ignored.slice(0, NAMED).join(", ")}${more}.`;
}
