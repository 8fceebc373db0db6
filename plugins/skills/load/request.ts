import type { AgentMessage } from "@mariozechner/pi-agent-core";
import { sizeText } from "@scorel/kit/text/size";
import type { LoadedSkill, SkillState } from "../contract.ts";
import { bytesOf, missingOf, withinBudget } from "./budget.ts";
import { loaded } from "./load.ts";
import type { Skills } from "./skills.ts";
import { cleared, contentsIn } from "./state.ts";

/** Runs before each request: loads skills that people named, and puts loaded texts in their place. */
export async function prepare(
  skills: Skills,
  messages: AgentMessage[],
  words: readonly string[],
): Promise<AgentMessage[]> {
  for (const text of words) await loadMentioned(skills, text);
  const { placement, ctx } = skills;
  if (placement === "append") await attach(skills);
  const state = await forThisRequest(skills);
  if (placement === "append" || state.loaded.length === 0) return messages;
  const loadedNow = state.loaded.flatMap((skill) => skills.held(skill));
  return (await import("./placement.ts")).place(skills, messages, loadedNow, ctx.session);
}

async function loadMentioned(skills: Skills, text: string): Promise<void> {
  const { argumentsIn, mentioned, missingIn } = await import("../match/mentions.ts");
  const missing = missingIn(text, skills.look.skills);
  if (missing !== undefined) skills.ctx.report("", skills.missing(missing, skills.look.skills));
  for (const skill of mentioned(text, skills.look.skills)) {
    try {
      const { details } = await loaded(skills, skill, { given: argumentsIn(text, skill) });
      const before = skills.state.loaded.find(({ name }) => name === skill.name);
      if (JSON.stringify(before) === JSON.stringify(details.skill)) continue;
      await skills.ctx.session.append("skill_state", { ...withSkills(details), why: "user" });
    } catch (thrown) {
      skills.ctx.report(`skill ${skill.name}`, thrown);
    }
  }
}

function withSkills({ stateDelta, skill }: Awaited<ReturnType<typeof loaded>>["details"]) {
  return { stateDelta, skills: [skill as LoadedSkill] };
}

/** Appends loaded texts that the conversation does not show. */
async function attach(skills: Skills): Promise<void> {
  const { session } = skills.ctx;
  const missing = skills.state.loaded.flatMap((skill) => missingOf(skills, skill));
  if (missing.length === 0) return;
  const { shown } = skills.state;
  const wasThere = (skill: LoadedSkill) => contentsIn(skill).some((id) => Object.hasOwn(shown, id));
  const { kept, left } = withinBudget(skills, missing.filter(wasThere));
  const fresh = missing.filter((skill) => !wasThere(skill));
  const rows = [...kept, ...fresh].sort((a, b) => (a.name < b.name ? -1 : 1));
  const again = kept.length + left.length > 0 && fresh.length === 0;
  const lost = left.map((name) => withSize(skills, missing, name));
  await session.append("skill_context", { skills: rows, ...(again && { again }), left: lost });
  if (left.length === 0) return;
  await session.append("skill_state", { why: "room", stateDelta: cleared(left, skills.state.keys), skills: [] });
}

/** A skill's name with its size, so that the model can judge whether to load it again. */
function withSize(skills: Skills, missing: readonly LoadedSkill[], name: string): string {
  const bytes = missing.filter((skill) => skill.name === name).reduce((sum, skill) => sum + bytesOf(skills, skill), 0);
  return `${name} (${sizeText(bytes)})`;
}

/** With `load = "once"`, returns what is loaded for this request, including retries, and ends it in the log right away. */
async function forThisRequest(skills: Skills): Promise<SkillState> {
  const { ctx, state, once } = skills;
  if (ctx.config.load !== "once") return state;
  if (once && once.leaf === ctx.session.activeLeaf) return once.state;
  skills.once = undefined;
  if (state.loaded.length === 0) return state;
  const names = state.loaded.map(({ name }) => name);
  await ctx.session.append("skill_state", { why: "once", stateDelta: cleared(names, state.keys), skills: [] });
  skills.once = { leaf: ctx.session.activeLeaf, state };
  return state;
}
