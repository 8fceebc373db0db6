import { basename, relative } from "node:path";
import { decideOn, describeAs } from "@scorel/kit/terminal/review";
import { sizeText } from "@scorel/kit/text/size";
import type { ShadowedSkill, Skill, SkillLook } from "@scorel/skills/contract";
import type { StagedFile, StagedSkills } from "@scorel/skillstore/contract";
import { errors } from "./errors.ts";
import type { SourceContext } from "./source-context.ts";

/** How many files of a skill are listed. */
const MOST = 20;
const MOST_WARNINGS = 5;
const SCRIPT = /\.(?:py|sh|bash|zsh|fish|js|mjs|cjs|ts|rb|pl|php|ps1|bat|cmd|lua|r|exe|com|jar|wasm|so|dylib|dll)$/i;

/** Describes what would be installed: each skill with its description, executable files and warnings. */
export async function describeStaged(
  context: Pick<SourceContext, "look" | "preview">,
  staged: StagedSkills,
  { skills, shadowed, skipped }: SkillLook,
): Promise<string[]> {
  const looks = { before: await context.look(), after: await context.preview(staged) };
  const bytes = staged.files.reduce((sum, file) => sum + file.bytes, 0);
  const head = `  ${count(skills.length, "skill")}, ${count(staged.files.length, "file")}, ${sizeText(bytes)}, sha256 ${staged.sha256}`;
  const below = (path: string) => relative(staged.folder, path);
  return [
    head,
    ...skills.flatMap((skill) => describeSkill(skill, filesOf(skill, skills, staged), looks)),
    ...shadowed.map(({ name, folder, by }) => `  not used: ${name} in ${below(folder)}: ${below(by)} takes precedence`),
    ...beside(skills, staged),
    ...staged.elsewhere.map(({ name, from }) => `  not added: plugin ${name}, which is not in it (${from})`),
    ...skipped.map(({ folder, reason }) => `  no skill: ${below(folder)}: ${reason}`),
  ];
}

/** Asks the person if there is a terminal; otherwise `--yes` is required. */
export async function agreed(
  { invocation, say }: SourceContext,
  head: string,
  { question, command, texts }: { question: string; command: string; texts: StagedSkills["texts"] },
): Promise<boolean> {
  const { options, stdin } = invocation;
  const reviewed = { items: [], texts };
  if (options.yes !== true && stdin.isTTY) {
    const isAgreed = await decideOn(reviewed, head, { text: question }, invocation);
    if (!isAgreed) await say("Nothing was changed.");
    return isAgreed;
  }
  await say(describeAs(head, reviewed));
  if (options.yes !== true) throw errors.SKILLBOOK_UNCONFIRMED({ command });
  return true;
}

/** A number with its noun in singular or plural, such as `2 files`. */
export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}

/** A session's skills now, and as they would be after the installation. */
interface BeforeAndAfter {
  before: SkillLook;
  after: SkillLook;
}

function describeSkill(skill: Skill, files: StagedFile[], looks: BeforeAndAfter): string[] {
  const { name, description, userOnly, warnings, file } = skill;
  const isScript = ({ path, isExecutable }: StagedFile) => isExecutable || SCRIPT.test(path);
  const scripts = files.filter(isScript);
  const others = files.filter((each) => !isScript(each));
  return [
    `  ${name}${userOnly ? " (only you may load it)" : ""}: ${description}`,
    ...(scripts.length > 0 ? [`    can be run: ${listed(scripts)}`] : []),
    ...(others.length > 0 ? [`    to be read: ${listed(others)}`] : []),
    ...warnings.slice(0, MOST_WARNINGS).map(({ line, message }) => `    ${file}:${line}: ${message}`),
    ...nameLines(skill, looks),
  ];
}

/** Lists files outside of all skills too, so that nothing installed is hidden. */
function beside(skills: readonly Skill[], staged: StagedSkills): string[] {
  const prefixes = skills.map(({ folder }) => `${relative(staged.folder, folder)}/`);
  const files = staged.files.filter(({ path }) => !prefixes.some((prefix) => path.startsWith(prefix)));
  return files.length > 0 ? [`  in no skill: ${listed(files)}`] : [];
}

/** Where a skill comes from, for people. */
export function placeOf({ source, folder, archive }: Skill | (ShadowedSkill & { archive?: undefined })): string {
  return `${source}, ${archive?.from ?? folder}`;
}

/** What happens to the name after the installation, by the same search that a session uses. */
function nameLines({ folder }: Skill, { before, after }: BeforeAndAfter): string[] {
  const shadow = after.shadowed.find((each) => each.folder === folder);
  if (shadow) {
    const by = after.skills.find((each) => each.folder === shadow.by);
    return [`    the name is taken: ${by ? placeOf(by) : shadow.by}; that one takes precedence`];
  }
  if (!after.skills.some((each) => each.folder === folder)) return ['    not offered: "disabled" of [skills] names it'];
  const replaced = before.skills.filter((other) =>
    after.shadowed.some((each) => each.folder === other.folder && each.by === folder),
  );
  return replaced.map((other) => `    the name is taken: ${placeOf(other)}; from then on this one takes precedence`);
}

/** A skill's files, without those of nested skills and without its SKILL.md. */
function filesOf({ folder, file }: Skill, skills: readonly Skill[], staged: StagedSkills): StagedFile[] {
  const prefix = (each: string) => `${relative(staged.folder, each)}/`;
  const own = prefix(folder);
  const nested = skills.map((each) => prefix(each.folder)).filter((each) => each !== own && each.startsWith(own));
  return staged.files
    .filter(({ path }) => path.startsWith(own) && path !== own + basename(file))
    .filter(({ path }) => !nested.some((each) => path.startsWith(each)))
    .map((each) => ({ ...each, path: each.path.slice(own.length) }));
}

function listed(files: readonly StagedFile[]): string {
  const rest = files.length - MOST;
  const named = files.slice(0, MOST).map(({ path, bytes }) => `${path} (${sizeText(bytes)})`);
  return `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
