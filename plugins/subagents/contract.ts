import type { Mode } from "@scorel/permissions/contract";
import type { FinishedWorktree } from "@scorel/worktrees/contract";

/** Details of a result of the tool Task. */
export interface TaskDetails {
  /** The session of the subagent. */
  sessionId: string;
  /** The name of its definition; absent for a subagent without one. */
  agent?: string;
  /** The folder of its worktree, if it has one. */
  path?: string;
  /** How the work in a worktree of its own ended; absent for a subagent that worked in the directory of its parent. */
  worktree?: FinishedWorktree;
  /** It works in the background: this result says only that it has begun. */
  background?: BackgroundTask;
}

/** A task that was given to a subagent in the background. */
export interface BackgroundTask {
  sessionId: string;
  /** The task in a few words. */
  description: string;
  /** The folder of its worktree, if it has one. */
  path?: string;
}

declare module "@scorel/kernel" {
  interface Projections {
    /** The tasks in the background of which no report has come yet. */
    backgroundTasks: readonly BackgroundTask[];
  }
}

/** How a kind of subagent works. What it says can only narrow what the session that calls it may do. */
export interface AgentDefinition {
  name: string;
  /** What it is for, in one line. */
  description: string;
  source: "project" | "user" | "shipped";
  /** Path of its file, as shown to people; absent for one that comes with Scorel. */
  file?: string;
  /** Instructions that are added to the system prompt. */
  prompt: string;
  /** A model as `--model` takes it. Default: the model of the calling session. */
  model?: string;
  /** The only tools that it has of those of the calling session. Default: all. */
  tools?: readonly string[];
  /** Tools that it does not have. */
  withoutTools?: readonly string[];
  /** Its permission mode, if the calling session's is not narrower. */
  permission?: Mode;
  /** Skills that are loaded with its first message. */
  skills?: readonly string[];
  /** It works in a git worktree of its own. */
  isolation?: "worktree";
  /** It works in the background, unless a call says otherwise. */
  background?: true;
}
