import type { Mode } from "@scorel/permissions/contract";
import type { FinishedWorktree } from "@scorel/worktrees/contract";

/** `details` in the result of the tool Task. */
export interface TaskDetails {
  /** Session of the subagent. */
  sessionId: string;
  /** Name of its definition; absent for a subagent without one. */
  agent?: string;
  /** Folder of its worktree, if it has one. */
  path?: string;
  /** How the work in its worktree ended; absent for a subagent that worked in the parent's directory. */
  worktree?: FinishedWorktree;
  /** Set if the subagent works in the background: the result then only says that it has started. */
  background?: BackgroundTask;
}

/** A task of a subagent in the background. */
export interface BackgroundTask {
  sessionId: string;
  /** The task in a few words. */
  description: string;
  /** Folder of its worktree, if it has one. */
  path?: string;
}

declare module "@scorel/kernel" {
  interface Projections {
    /** Background tasks without a report so far. */
    backgroundTasks: readonly BackgroundTask[];
  }
}

/** A kind of subagent. A definition can only restrict what the calling session may do. */
export interface AgentDefinition {
  name: string;
  /** The purpose of the subagent, in one line. */
  description: string;
  source: "project" | "user" | "shipped";
  /** Path of its file, as shown to people; absent for a definition that comes with Scorel. */
  file?: string;
  /** Instructions that are added to the system prompt. */
  prompt: string;
  /** Model, as in `--model`. Default: the model of the calling session. */
  model?: string;
  /** Names of the only tools that it has, out of those of the calling session. Default: all. */
  tools?: readonly string[];
  /** Names of tools that it does not have. */
  withoutTools?: readonly string[];
  /** Permission mode. Ignored if the calling session's mode is stricter. */
  permission?: Mode;
  /** Names of skills that are loaded with its first message. */
  skills?: readonly string[];
  /** Set if it works in a git worktree of its own. */
  isolation?: "worktree";
  /** Set if it works in the background, unless a call says otherwise. */
  background?: true;
}
