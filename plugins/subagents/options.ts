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

/** Options of a session that apply to the work that it gives away. */
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
 * Options for a subagent's session: it works as its parent does now, which may differ from what is configured, within what its
 * definition says. Throws SUBAGENT_MODE and SUBAGENT_NO_TOOLS.
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
  const offered = (find("tools")?.list() ?? []).map(({ name }) => name);
  return {
    permission: modeWithin(find("permissions")?.mode, agent),
    appendSystemPrompt: [workspace.appendSystemPrompt, prompt].filter((text) => text !== undefined).join("\n\n"),
    ...(isLimited && { tools: toolsWithin(offered, agent) }),
    ...(model !== undefined && { model }),
  };
}

/** The last subagents of a chain do not have the tool Task, and naming it there would be an error. */
function withoutOwn(tools: readonly string[], depth: number): readonly string[] {
  return depth + 1 < MOST_DEPTH ? tools : tools.filter((name) => name !== "Task");
}
