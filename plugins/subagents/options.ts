import type {} from "@scorel/mcp/contract";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/permissions/contract";
import type {} from "@scorel/prompt/contract";
import type {} from "@scorel/sandbox/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import { modeWithin, toolsWithin } from "./agents/narrowing.ts";
import type { Context } from "./context.ts";
import type { AgentDefinition } from "./contract.ts";
import { depthOf, MOST_DEPTH } from "./depth.ts";

/** Session options that a subagent takes over from its parent. */
const KEPT = [
  "model",
  "thinking",
  "appendSystemPrompt",
  "tools",
  "allowWrite",
  "environment",
  "sandbox",
  "mcpServers",
] as const;

/**
 * Options for a subagent's session: the current state of the parent, which may differ from its configuration, restricted by the definition.
 * Throws SUBAGENT_MODE, SUBAGENT_NO_TOOLS.
 */
export function optionsOf(ctx: Context, agent: AgentDefinition | undefined): SessionOptions {
  const { workspace, session, find } = ctx;
  const { chosenModel, thinkingLevel } = session.projection("sessionMeta");
  const options: SessionOptions = {
    ...Object.fromEntries(KEPT.map((key) => [key, workspace[key]])),
    ...(chosenModel !== undefined && { model: chosenModel }),
    ...(thinkingLevel !== undefined && { thinking: thinkingLevel }),
    permission: find("permissions")?.mode,
    ...(agent && optionsFor(ctx, agent)),
  };
  const { tools } = options;
  const all = { ...options, ...(tools && { tools: withoutOwn(tools, depthOf(workspace.parent)) }) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function optionsFor({ workspace, find }: Context, agent: AgentDefinition): SessionOptions {
  const { model, tools, withoutTools, prompt } = agent;
  const isLimited = tools !== undefined || withoutTools !== undefined;
  const offered = find("tools")?.names() ?? [];
  return {
    permission: modeWithin(find("permissions")?.mode, agent),
    appendSystemPrompt: [workspace.appendSystemPrompt, prompt].filter((text) => text !== undefined).join("\n\n"),
    ...(isLimited && { tools: toolsWithin(offered, agent) }),
    ...(model !== undefined && { model }),
  };
}

/** Removes Task from the tools if the subagent is at the greatest depth: it does not exist there, so naming it would be an error. */
function withoutOwn(tools: readonly string[], depth: number): readonly string[] {
  return depth + 1 < MOST_DEPTH ? tools : tools.filter((name) => name !== "Task");
}
