import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { LoadedSkill, SkillState } from "./contract.ts";
import { contentsIn, loaded } from "./load.ts";
import type { Skills } from "./skills.ts";
import { cleared } from "./state.ts";

/** Before each request: loads what people named, and has what is loaded stand where it belongs. */
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
  const { mentioned } = await import("./mentions.ts");
  for (const skill of mentioned(text, skills.look.skills)) {
    try {
      const { details } = await loaded(skills, skill, {});
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

/** What is loaded and not to be read above is put at the end of the conversation, where it stays. */
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
  await session.append("skill_context", { skills: rows, ...(again && { again }), left });
  if (left.length === 0) return;
  await session.append("skill_state", { why: "room", stateDelta: cleared(left, skills.state.keys), skills: [] });
}

/** A skill with those of its texts alone that are not to be read above. */
function missingOf(skills: Skills, { content, docs, ...skill }: LoadedSkill): LoadedSkill[] {
  const body = content !== undefined && !skills.isShown(content) ? { content } : {};
  const left = docs.filter((doc) => !skills.isShown(doc.content));
  return "content" in body || left.length > 0 ? skills.held({ ...skill, ...body, docs: left }) : [];
}

/** As configured, and at most a quarter of the model's window at four bytes a token. */
function roomIn({ ctx }: Skills): number {
  const window = ctx.find("model")?.current().contextWindow ?? Number.POSITIVE_INFINITY;
  return Math.min(ctx.config.reattach, window);
}

/** Whole skills, the latest first; half a rule may say the opposite. */
function withinBudget(skills: Skills, missing: readonly LoadedSkill[]): { kept: LoadedSkill[]; left: string[] } {
  const { tree } = skills.ctx.session;
  const sizeOf = (id: string) => Buffer.byteLength((tree.get(id) as { text?: string } | undefined)?.text ?? "");
  let room = roomIn(skills);
  const kept: LoadedSkill[] = [];
  const left: string[] = [];
  for (const skill of missing.toReversed()) {
    const bytes = contentsIn(skill).reduce((sum, id) => sum + sizeOf(id), 0);
    if (bytes <= room) kept.push(skill);
    else left.push(skill.name);
    if (bytes <= room) room -= bytes;
  }
  return { kept, left: left.sort() };
}

/** With `load = "once"` what is loaded counts for this request, in each of its attempts, and ends in the log at once. */
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
