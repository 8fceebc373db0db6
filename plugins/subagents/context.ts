import type { PluginContext } from "@scorel/kernel";

export type Context = PluginContext<unknown, "host" | "requests" | "ui" | "workspace">;

/** The kind of a subagent's session. A copy of it has no kind, since nothing waits for it. */
export const KIND = "subagent";

/** Arguments of the tool Task. */
export interface TaskParams {
  description: string;
  prompt: string;
  /** Name of a definition. */
  agent?: string | undefined;
  /** Where the subagent works. Default: as in the definition, otherwise the directory of the parent. */
  isolation?: "worktree" | undefined;
  /** With true, the call returns at once, and the report comes later as a message. */
  background?: boolean | undefined;
}
