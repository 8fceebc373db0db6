import type { AppendEntry } from "@scorel/kernel";
import type { IndexedSkill, Skill, SkillChanges } from "../contract.ts";
import type { Skills } from "../load/skills.ts";
import { applied, cleared } from "../load/state.ts";
import { hints } from "./hints.ts";
import { requestedSkills } from "./requested.ts";

/** How many names are listed when there is no room for descriptions. */
const MOST_NAMES = 100;

/** Starts a turn: writes the index, announces changes, adds hints, and unloads skills of the last turn. */
export async function beginTurn(skills: Skills): Promise<void> {
  const { ctx } = skills;
  await skills.refresh();
  const now = skills.isOffered ? rowsFor(skills, requestedSkills(skills)) : [];
  const entries = [...indexEntries(skills, now), ...announcement(skills, now), ...hints(skills), ...endOfTurn(skills)];
  if (entries.length > 0) await ctx.session.appendAll(entries);
}

/** The skills that the model should know: listed ones, and unlisted ones that a message has asked for. */
function rowsFor(skills: Skills, asked: ReadonlySet<Skill>): IndexedSkill[] {
  const isKnown = (skill: Skill) => !skill.isUnlisted || asked.has(skill) || skills.indexed(skill.name) !== undefined;
  return skills.forModel.filter(isKnown).map(rowOf);
}

/** The index as in the prompt, once, and then changes. */
function indexEntries(skills: Skills, now: readonly IndexedSkill[]): AppendEntry[] {
  if (!skills.isOffered) return [];
  const index = skills.ctx.session.projection("skillIndex");
  const { shortened } = skills.overview;
  const first = skills.listed.map(rowOf);
  const snapshot = { snapshot: true as const, ...(shortened && { shortened }), skills: first, removed: [] };
  const changes = difference(index?.now ?? first, now, (row) => JSON.stringify(row));
  const payloads = [...(index ? [] : [snapshot]), ...(changes ? [changes] : [])];
  return payloads.map((payload) => ({ type: "skill_index", payload }));
}

/** Announces changes at the end of the conversation, once each, and again after a summary removed them. */
function announcement(skills: Skills, now: readonly IndexedSkill[]): AppendEntry[] {
  if (!skills.isOffered) return [];
  const told = knownRows(skills);
  if (!told) return listing(skills);
  const changes = difference(told, now, markOf);
  if (!changes) return [];
  const text = linesOf(changes, told, skills).join("\n");
  const isOnlyFurther =
    changes.removed.length === 0 && changes.skills.every((row) => kindOf(row, told, skills) === FURTHER);
  const head = isOnlyFurther ? "Further skills for this message:" : "The available skills have changed:";
  return [harness("skill_delta", `${head}\n${text}`, changes)];
}

/** The lines of an announcement: with descriptions if they fit the budget, otherwise at most 100 names. */
function linesOf(changes: SkillChanges, told: readonly IndexedSkill[], skills: Skills): string[] {
  const lines = (lineOf: typeof lineFor) => [
    ...changes.skills.map((row) => lineOf(row, told, skills)),
    ...gone(changes),
  ];
  const whole = lines(lineFor);
  if (Buffer.byteLength(whole.join("\n")) <= skills.ctx.config.overview) return whole;
  const short = lines(nameFor);
  const more = short.length - MOST_NAMES;
  return more > 0 ? [...short.slice(0, MOST_NAMES), `- and ${more} more, which skill_load loads by name`] : short;
}

/** A key that changes when the model should be told. It includes the archive's hash, because an update moves the files. */
function markOf({ name, description, digest, folder }: IndexedSkill): string {
  const tree = /[\\/]archives[\\/]([\da-f]{64})[\\/]/.exec(folder)?.[1] ?? "";
  return [name, description, digest, tree].join("\n");
}

/** The skills that the model knows from its prompt and later announcements; undefined if it was never told about skills. */
function knownRows(skills: Skills): IndexedSkill[] | undefined {
  const { ctx, state } = skills;
  const index = ctx.session.projection("skillIndex");
  const after = state.through === undefined ? 0 : (ctx.session.tree.get(state.through)?.seq ?? 0);
  const said = state.told.filter(({ seq }) => seq > after);
  const first = isInPrompt(skills) ? (index?.first ?? skills.listed.map(rowOf)) : said.length > 0 ? [] : undefined;
  return first && said.reduce<IndexedSkill[]>((rows, changes) => applied(rows, changes), [...first]);
}

/** Lists skills in the conversation when the frozen prompt has no list. */
function listing(skills: Skills): AppendEntry[] {
  const rows = skills.listed.map(rowOf);
  if (rows.length === 0 || isInPrompt(skills)) return [];
  const text = isCut(skills) ? namesOf(rows) : skills.overview.text;
  return [harness("skill_listing", text, { skills: rows, removed: [] })];
}

/** A list of names only, for lack of room. */
function namesOf(rows: readonly IndexedSkill[]): string {
  const more = rows.length > MOST_NAMES ? ` and ${rows.length - MOST_NAMES} more` : "";
  const names = rows.slice(0, MOST_NAMES).map(({ name }) => name);
  return `Available skills, which skill_load loads by name: ${names.join(", ")}${more}.`;
}

/** Whether the frozen prompt contains the list. */
function isInPrompt({ ctx }: Skills): boolean {
  const sections = ctx.session.projection("instructions").snapshot?.sections ?? [];
  return sections.some(({ sources }) => sources.some(({ source }) => source === ctx.plugin));
}

/** Whether the prompt had no room for the list. */
function isCut({ ctx }: Skills): boolean {
  const cut = ctx.session.projection("instructions").snapshot?.cut ?? [];
  return cut.some(({ source }) => source === ctx.plugin);
}

function lineFor(row: IndexedSkill, told: readonly IndexedSkill[], skills: Skills): string {
  const { name, description } = row;
  const before = told.find((each) => each.name === name);
  const [head, again] = [`- ${kindOf(row, told, skills)}: ${name}`, againOf(row, skills)];
  return before?.description === description ? head + again : `${head}: ${description}${again}`;
}

function nameFor(row: IndexedSkill, told: readonly IndexedSkill[], skills: Skills): string {
  return `- ${kindOf(row, told, skills)}: ${row.name}${againOf(row, skills)}`;
}

/** Said of a skill that was not listed until a message asked for it. */
const FURTHER = "also there";

/** Whether a skill changed, is new, or was unlisted until now. */
function kindOf({ name }: IndexedSkill, told: readonly IndexedSkill[], skills: Skills): string {
  if (told.some((each) => each.name === name)) return "changed";
  return skills.forModel.some((skill) => skill.name === name && skill.isUnlisted) ? FURTHER : "new";
}

/** A note for a loaded skill, whose loaded text is now outdated. */
function againOf({ name }: IndexedSkill, { state }: Skills): string {
  const isLoaded = state.loaded.some((skill) => skill.name === name && skill.content !== undefined);
  return isLoaded ? "; the text loaded above is an earlier version, skill_load loads the new one" : "";
}

function gone({ removed }: SkillChanges): string[] {
  return removed.map((name) => `- no longer there: ${name}`);
}

function harness(kind: "skill_delta" | "skill_listing", text: string, skillChanges: SkillChanges): AppendEntry {
  return { type: "harness_item", payload: { kind, origin: "skill", visibility: "both", text, data: { skillChanges } } };
}

/** With `load = "turn"`, unloads everything from the last turn. */
function endOfTurn({ ctx, state }: Skills): AppendEntry[] {
  const names = state.loaded.map(({ name }) => name);
  if (ctx.config.load !== "turn" || names.length === 0) return [];
  return [{ type: "skill_state", payload: { why: "turn", stateDelta: cleared(names, state.keys), skills: [] } }];
}

function rowOf({ name, description, source, folder, digest }: Skill): IndexedSkill {
  return { name, description, source, folder, digest };
}

function difference(
  before: readonly IndexedSkill[],
  now: readonly IndexedSkill[],
  markOf: (row: IndexedSkill) => string,
): SkillChanges | undefined {
  const marks = new Map(before.map((row) => [row.name, markOf(row)]));
  const changed = now.filter((row) => marks.get(row.name) !== markOf(row));
  const names = new Set(now.map(({ name }) => name));
  const removed = before.map(({ name }) => name).filter((name) => !names.has(name));
  return changed.length + removed.length > 0 ? { skills: changed, removed } : undefined;
}
