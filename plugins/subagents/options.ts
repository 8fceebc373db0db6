import type {} from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/permissions/contract";
import type {} from "@scorel/prompt/contract";
import type {} from "@scorel/sandbox/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import type { Context } from "./context.ts";

/** Options of a session that apply to the work that it gives away. */
const KEPT = ["model", "thinking", "appendSystemPrompt", "tools", "allowWrite", "environment", "sandbox"] as const;

/** Options for a subagent's session: it works as its parent does now, which may differ from what is configured. */
export function optionsOf({ workspace, session, find }: Context): SessionOptions {
  const { chosenModel, thinkingLevel } = session.projection("sessionMeta");
  const options: SessionOptions = {
    ...Object.fromEntries(KEPT.map((key) => [key, workspace[key]])),
    ...(chosenModel !== undefined && { model: chosenModel }),
    ...(thinkingLevel !== undefined && { thinking: thinkingLevel }),
    permission: find("permissions")?.mode,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
