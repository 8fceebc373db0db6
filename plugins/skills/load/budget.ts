import type { PluginContext } from "@scorel/kernel";
import type { SkillsConfig } from "../config.ts";
import type { LoadedSkill, SkillState } from "../contract.ts";
import { contentsIn } from "./state.ts";

/** The parts of `Skills` that matter for the size of texts. */
interface Skills {
  readonly ctx: PluginContext<SkillsConfig>;
  readonly state: SkillState;
  isShown(content: string): boolean;
  held(skill: LoadedSkill): LoadedSkill[];
}

/** A skill reduced to its texts that the conversation does not show; empty if all are shown. */
export function missingOf(
  skills: Skills,
  { content, docs, ...skill }: LoadedSkill,
  isShown = (id: string) => skills.isShown(id),
): LoadedSkill[] {
  const body = content !== undefined && !isShown(content) ? { content } : {};
  const left = docs.filter((doc) => !isShown(doc.content));
  return "content" in body || left.length > 0 ? skills.held({ ...skill, ...body, docs: left }) : [];
}

/** Chooses the skills that fit, latest first. A skill is never cut, since half a rule may mean the opposite. */
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

/** How many bytes of loaded text a request adds to the conversation after everything up to an event is summarised. */
export function returningBytes(skills: Skills, through: string): number {
  const { state, ctx } = skills;
  // In the other placements, each request gets all loaded texts anew.
  if (ctx.config.placement !== "append") return state.loaded.reduce((sum, skill) => sum + bytesOf(skills, skill), 0);
  const last = ctx.session.tree.get(through)?.seq ?? 0;
  const stays = (id: string) => (state.shown[id] ?? Number.POSITIVE_INFINITY) > last;
  const missing = state.loaded.flatMap((skill) => missingOf(skills, skill, stays));
  return withinBudget(skills, missing).kept.reduce((sum, skill) => sum + bytesOf(skills, skill), 0);
}

/** The size of a loaded skill's texts in bytes. */
export function bytesOf({ ctx }: Pick<Skills, "ctx">, skill: LoadedSkill): number {
  const { tree } = ctx.session;
  const sizeOf = (id: string) => Buffer.byteLength((tree.get(id) as { text?: string } | undefined)?.text ?? "");
  return contentsIn(skill).reduce((sum, id) => sum + sizeOf(id), 0);
}

const LARGEST_SELECTION = 1024 * 1024;

/** How many bytes docs loaded together may have: 1 MiB, and at most half of the model's window at four bytes per token. */
export function docRoom({ ctx }: Pick<Skills, "ctx">): number {
  const window = ctx.find("model")?.current().contextWindow ?? Number.POSITIVE_INFINITY;
  return Math.min(LARGEST_SELECTION, window * 2);
}

/** The configured limit, at most a quarter of the model's window at four bytes per token. */
function roomIn({ ctx }: Skills): number {
  const window = ctx.find("model")?.current().contextWindow ?? Number.POSITIVE_INFINITY;
  return Math.min(ctx.config.reattach, window);
}
