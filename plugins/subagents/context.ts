import type { PluginContext } from "@scorel/kernel";

export type Context = PluginContext<unknown, "host" | "requests" | "ui" | "workspace">;

/** The arguments of the tool Task. */
export interface TaskParams {
  description: string;
  prompt: string;
  /** The name of a definition. */
  agent?: string | undefined;
  /** Where it works. Default: as the definition says, else in the directory of its parent. */
  isolation?: "worktree" | undefined;
  /** The call ends at once, and the report comes as a message. */
  background?: boolean | undefined;
}
