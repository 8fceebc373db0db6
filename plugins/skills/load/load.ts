import { sha256Of } from "@scorel/kit/files/hash";
import { sizeText } from "@scorel/kit/text/size";
import type { LoadedDoc, LoadedSkill, Skill } from "../contract.ts";
import { errors } from "../errors.ts";
import { filled } from "../format/placeholders.ts";
import { docTexts, type SkillTexts, textsOf } from "../format/text.ts";
import { docRoom } from "./budget.ts";
import type { Skills } from "./skills.ts";
import { contentKey, contentsIn, keyOf, type ToolDetails } from "./state.ts";

/** How many doc paths `skill_list_docs` and `skill_load` return at most. */
const MOST_DOCS = 500;
const MOST_OFFERED = 50;

/** The arguments of `skill_load`. */
export interface Asked {
  skill: string;
  docs?: string[];
  include_all_docs?: boolean;
}
/** The arguments of `skill_select_docs`. */
export interface Selection extends Asked {
  mode?: "add" | "replace" | "clear";
}
interface Answer {
  text: string;
  details?: ToolDetails;
}

/** Loads a skill for the model. The result is a stub; the text goes where the placement puts it. */
export async function load(skills: Skills, asked: Asked): Promise<Answer> {
  const skill = named(skills, asked.skill);
  const before = loadedOf(skills, skill.name);
  const { details, changed, texts } = await loaded(skills, skill, asked);
  const others = othersOf(texts, details.skill as LoadedSkill);
  const same = before !== undefined && JSON.stringify(before) === JSON.stringify(details.skill);
  const there = skills.placement === "append" && contentsIn(details.skill).every((id) => skills.isShown(id));
  if (there) return { text: `already loaded above: ${skill.name}`, details };
  const note = changed && !same ? "\nIt has changed since this session listed it; this is its current text." : "";
  return { text: `loaded: ${skill.name}${note}${others}`, details };
}

/** Lists the docs that are not loaded, with sizes, so that the model can choose. */
function othersOf({ sizes }: SkillTexts, { docs }: LoadedSkill): string {
  const left = [...sizes].filter(([path]) => !docs.some((doc) => doc.path === path));
  if (left.length === 0) return "";
  const more = left.length > MOST_OFFERED ? ` and ${left.length - MOST_OFFERED} more, which skill_list_docs lists` : "";
  const rows = left.slice(0, MOST_OFFERED).map(([path, bytes]) => `${path} (${sizeText(bytes)})`);
  return `\nDocs to be loaded by name: ${rows.join(", ")}${more}`;
}

/**
 * Reads a skill and stores its texts in the log. `changed` tells whether its SKILL.md differs from the one in the
 * session's index.
 */
export async function loaded(
  skills: Skills,
  skill: Skill,
  { docs, include_all_docs: all, given }: Omit<Asked, "skill"> & { given?: string | undefined },
): Promise<{ details: ToolDetails; changed: boolean; texts: SkillTexts }> {
  const texts = await textsOf(skill);
  const before = loadedOf(skills, skill.name);
  const earlier = before?.docs.map(({ path }) => path).filter((path) => texts.docs.includes(path)) ?? [];
  const selects = all === true || (docs !== undefined && docs.length > 0);
  const paths = all ? texts.docs : selects ? known(skill, docs ?? [], texts) : earlier;
  const text = filled(texts.body, { folder: skill.folder, given });
  // Filled placeholders change the text, so it needs its own digest: texts are stored once per digest.
  const digest = text === texts.body ? texts.digest : sha256Of(text);
  const content = await keep(skills, skill, { path: skill.file, digest, text });
  const now: LoadedSkill = {
    name: skill.name,
    digest: texts.digest,
    content,
    ...(texts.others && { folder: skill.folder }),
    docs: await keepDocs(skills, skill, paths),
  };
  await skills.countUse(skill.name);
  const stateDelta = {
    [keyOf.loaded(skill.name)]: "1",
    ...(selects && { [keyOf.docs(skill.name)]: all ? "*" : JSON.stringify(paths) }),
  };
  return { details: { stateDelta, skill: now }, changed: texts.digest !== skills.indexed(skill.name)?.digest, texts };
}

/**
 * The docs of a skill as a JSON object: path -> size in bytes. Throws SKILL_REQUIRED, SKILL_UNKNOWN and
 * SKILL_UNREADABLE.
 */
export async function listDocs(skills: Skills, name: string): Promise<Answer> {
  const { sizes, note } = await textsOf(named(skills, name));
  const more = sizes.size > MOST_DOCS ? `\nand ${sizes.size - MOST_DOCS} more` : "";
  const beyond = note === undefined ? "" : `\n(the skill has ${note}; only these were searched)`;
  const rows = [...sizes].slice(0, MOST_DOCS);
  return { text: JSON.stringify(Object.fromEntries(rows)) + more + beyond };
}

/** Changes which docs of a skill are loaded; by default the given docs replace the previous ones. */
export async function selectDocs(skills: Skills, asked: Selection): Promise<Answer> {
  const skill = named(skills, asked.skill);
  const { name } = skill;
  const texts = await textsOf(skill);
  const { mode = "replace", include_all_docs: all = false } = asked;
  const before = loadedOf(skills, name) ?? { name, docs: [] };
  const hasAll = skills.state.keys[keyOf.docs(name)] === "*";
  const chosen = mode === "clear" ? [] : known(skill, asked.docs ?? [], texts);
  const isAll = mode !== "clear" && (all || (mode === "add" && hasAll));
  const kept = mode === "add" ? before.docs.map(({ path }) => path).filter((path) => texts.docs.includes(path)) : [];
  const paths = isAll ? texts.docs : [...new Set([...kept, ...chosen])].sort();
  const value = isAll ? "*" : JSON.stringify(paths);
  const now: LoadedSkill = { ...before, docs: await keepDocs(skills, skill, paths) };
  const output = isAll ? { skill: name, include_all_docs: true, mode } : { skill: name, selected_docs: paths, mode };
  return { text: JSON.stringify(output), details: { stateDelta: { [keyOf.docs(name)]: value }, skill: now } };
}

/** Throws SKILL_REQUIRED, SKILL_UNKNOWN and SKILL_UNTRUSTED. */
function named(skills: Skills, given: string): Skill {
  const name = given.trim();
  if (name === "") throw errors.SKILL_REQUIRED();
  const among = skills.forModel;
  const skill = among.find((each) => each.name === name);
  if (!skill) throw skills.missing(name, among);
  return skill;
}

function loadedOf(skills: Skills, name: string): LoadedSkill | undefined {
  return skills.state.loaded.find((each) => each.name === name);
}

/** Throws SKILL_DOC_UNKNOWN, which lists the existing docs. */
function known({ name }: Skill, docs: readonly string[], texts: SkillTexts): string[] {
  const unknown = docs.filter((path) => !texts.docs.includes(path));
  if (unknown.length > 0) throw errors.SKILL_DOC_UNKNOWN({ name, docs: unknown, known: texts.docs });
  return [...new Set(docs)].sort();
}

async function keepDocs(skills: Skills, skill: Skill, paths: readonly string[]): Promise<LoadedDoc[]> {
  const kept: LoadedDoc[] = [];
  for (const doc of docTexts(skill, paths, docRoom(skills)))
    kept.push({ path: doc.path, content: await keep(skills, skill, doc) });
  return kept;
}

/** The id of the event with a text; appends the event if it does not exist yet. */
async function keep(
  { ctx }: Skills,
  { name }: Skill,
  { path, digest, text }: { path: string; digest: string; text: string },
): Promise<string> {
  const kept = { skill: name, path, digest };
  const there = ctx.session.projection("skillContents")[contentKey(kept)];
  if (there !== undefined) return there;
  const redacted = ctx.find("secrets")?.redact(text) ?? text;
  return (await ctx.session.append("skill_content", { ...kept, text: redacted })).id;
}
