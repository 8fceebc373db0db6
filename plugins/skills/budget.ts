import type { PluginContext } from "@scorel/kernel";
import type { SkillsConfig } from "./config.ts";
import type { LoadedSkill, SkillState } from "./contract.ts";
import { contentsIn } from "./state.ts";

/** The skills of a session, as far as it matters what room their texts take. */
interface Skills {
  readonly ctx: PluginContext<SkillsConfig>;
  readonly state: SkillState;
  isShown(content: string): boolean;
  held(skill: LoadedSkill): LoadedSkill[];
}

/** A skill with those of its texts alone that are not to be read above. */
export function missingOf(
  skills: Skills,
  { content, docs, ...skill }: LoadedSkill,
  isShown = (id: string) => skills.isShown(id),
): LoadedSkill[] {
  const body = content !== undefined && !isShown(content) ? { content } : {};
  const left = docs.filter((doc) => !isShown(doc.content));
  return "content" in body || left.length > 0 ? skills.held({ ...skill, ...body, docs: left }) : [];
}

/** Whole skills, the latest first; half a rule may say the opposite. */
export function withinBudget(skills: Skills, missing: readonly LoadedSkill[]): { kept: LoadedSkill[]; left: string[] } {
  let room = roomIn(skills);
  const kept: LoadedSkill[] = [];
  const left: string[] = [];
  for (const skill of missing.toReversed()) {
    const bytes = bytesOf(skills, skill);
    if (bytes <= room) kept.push(skill);
    else left.push(skill.name);
    if (bytes <= room) room -= bytes;
  }
  return { kept, left: left.sort() };
}

/** Bytes of loaded text that the request behind a summary of everything up to an event holds beside the conversation. */
export function returningBytes(skills: Skills, through: string): number {
  const { state, ctx } = skills;
  // Elsewhere it is given to each request anew, whatever the conversation holds.
  if (ctx.config.placement !== "append") return state.loaded.reduce((sum, skill) => sum + bytesOf(skills, skill), 0);
  const last = ctx.session.tree.get(through)?.seq ?? 0;
  const stays = (id: string) => (state.shown[id] ?? Number.POSITIVE_INFINITY) > last;
  const missing = state.loaded.flatMap((skill) => missingOf(skills, skill, stays));
  return withinBudget(skills, missing).kept.reduce((sum, skill) => sum + bytesOf(skills, skill), 0);
}

/** Bytes of the texts of a loaded skill. */
export function bytesOf({ ctx }: Pick<Skills, "ctx">, skill: LoadedSkill): number {
  const { tree } = ctx.session;
  const sizeOf = (id: string) => Buffer.byteLength((tree.get(id) as { text?: string } | undefined)?.text ?? "");
  return contentsIn(skill).reduce((sum, id) => sum + sizeOf(id), 0);
}

const LARGEST_SELECTION = 1024 * 1024;

/** Bytes that docs loaded together may take: a mebibyte, and at most half of the model's window at four bytes a token. */
export function docRoom({ ctx }: Pick<Skills, "ctx">): number {
  const window = ctx.find("model")?.current().contextWindow ?? Number.POSITIVE_INFINITY;
  return Math.min(LARGEST_SELECTION, window * 2);
}

/** As configured, and at most a quarter of the model's window at four bytes a token. */
function roomIn({ ctx }: Skills): number {
  const window = ctx.find("model")?.current().contextWindow ?? Number.POSITIVE_INFINITY;
  return Math.min(ctx.config.reattach, window);
}
