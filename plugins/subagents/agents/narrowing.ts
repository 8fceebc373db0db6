import type { Mode } from "@scorel/permissions/contract";
import type {} from "@scorel/skills/contract";
import type { Context } from "../context.ts";
import type { AgentDefinition } from "../contract.ts";
import { errors } from "../errors.ts";

/** Permission modes, the strictest first: `plan` refuses what `ask` asks about. */
const NARROWEST_FIRST = ["plan", "ask", "edits", "full"] as const satisfies readonly Mode[];

/** The mode of a subagent whose parent has the mode `present`. Throws SUBAGENT_MODE. */
export function modeWithin(present: Mode | undefined, { name, permission }: AgentDefinition): Mode | undefined {
  if (permission === undefined) return present;
  if (present === undefined) throw errors.SUBAGENT_MODE({ agent: name, mode: permission });
  return NARROWEST_FIRST.find((mode) => mode === permission || mode === present);
}

/** The tools of a subagent, out of the names that its parent offers. Throws SUBAGENT_NO_TOOLS. */
export function toolsWithin(offered: readonly string[], agent: AgentDefinition): string[] {
  const { name, tools, withoutTools = [] } = agent;
  const kept = offered.filter((each) => (tools?.includes(each) ?? true) && !withoutTools.includes(each));
  if (kept.length === 0 && tools !== undefined && tools.length > 0)
    throw errors.SUBAGENT_NO_TOOLS({ agent: name, tools });
  return kept;
}

/** An error that lists tools which the definition names but the session does not have; undefined if there are none. */
export function missingTools(known: readonly string[], agent: AgentDefinition): Error | undefined {
  const { name, file, tools = [], withoutTools = [] } = agent;
  const missing = [...tools, ...withoutTools].filter((each) => !known.includes(each));
  if (file === undefined || missing.length === 0) return undefined;
  return errors.SUBAGENT_TOOLS({ agent: name, file, tools: missing });
}

/** The first message of a subagent. */
export interface FirstMessage {
  content: string | { type: "text"; text: string }[];
  mentions: boolean;
}

/**
 * The prompt, preceded by the skills that the definition names. Since a model has written the prompt, files that it mentions are not
 * attached, and skills that it names are not loaded: this never happens in a message's text blocks after the first. Throws SUBAGENT_SKILLS.
 */
export function messageFor(ctx: Context, prompt: string, agent: AgentDefinition | undefined): FirstMessage {
  if (!agent?.skills?.length) return { content: prompt, mentions: false };
  const { name, skills } = agent;
  const known = ctx.find("skills")?.look.skills ?? [];
  const missing = skills.filter((skill) => !known.some((each) => each.name === skill));
  if (missing.length > 0) throw errors.SUBAGENT_SKILLS({ agent: name, skills: missing });
  const texts = [skills.map((skill) => `$${skill}`).join(" "), prompt];
  return { content: texts.map((text) => ({ type: "text", text })), mentions: true };
}
