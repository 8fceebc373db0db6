import { codeOf, messageOf } from "@scorel/kernel";
import { changeLines } from "@scorel/kit/terminal/review";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { SkillLook } from "@scorel/skills/contract";
import type { PlacedSkills, StagedSkills } from "@scorel/skillstore/contract";
import { errors } from "./errors.ts";
import { agreed, describeStaged } from "./review.ts";
import type { SourceContext } from "./source-context.ts";

/** Something to fetch again. */
interface Wanted {
  /** The source; undefined if it is no longer known. */
  address: string | undefined;
  base: string;
  /** The installed version; a root may never have been fetched. */
  kept?: PlacedSkills;
}

/** `scorel skill update`: returns 1 when the user declines, or something could not be fetched. */
export async function update(context: SourceContext): Promise<number> {
  const [name] = context.invocation.args;
  const all = await wantedIn(context);
  const wanted = name === undefined ? all : [withSource(context, await named(context, all, name))];
  if (wanted.length === 0)
    await context.say("There is nothing to update: no skills were added, and [skills] roots names no archive.");
  const codes: number[] = [];
  for (const each of wanted) codes.push(await attempt(context, each, name !== undefined));
  return Math.max(0, ...codes);
}

/** Updates one entry. When several are updated, a failure is printed and the others continue. */
async function attempt(context: SourceContext, wanted: Wanted, isOnly: boolean): Promise<number> {
  try {
    return await updateOne(context, wanted);
  } catch (thrown) {
    if (isOnly || codeOf(thrown) === "SKILLBOOK_UNCONFIRMED") throw thrown;
    await context.say(`${wanted.kept ? `"${wanted.kept.name}" was not changed: ` : ""}${messageOf(thrown)}`);
    return 1;
  }
}

async function updateOne(context: SourceContext, { address, base, kept }: Wanted): Promise<number> {
  const { store, reach, say } = context;
  if (address === undefined) throw errors.SKILLBOOK_QUERY({ name: kept?.name ?? "", from: kept?.from ?? "" });
  const staged = await store.stage(address, base, reach, kept?.id);
  try {
    const { before, changes, isIntact } = staged;
    const isSame = before !== undefined && changes.length === 0;
    const name = before?.name ?? kept?.name ?? staged.label;
    if (isSame && isIntact && before.isStale !== true && before.from === staged.from) {
      await say(`"${name}" is up to date; nothing was changed.`);
      return 0;
    }
    if (!isSame && !(await agrees(context, staged, name))) return 1;
    await staged.install({ name, added: before?.added ?? kept?.added ?? false });
    await say(isSame && !isIntact ? `"${name}" was damaged, and has been restored.` : `Updated "${name}".`);
    return 0;
  } finally {
    staged.discard();
  }
}

async function agrees(context: SourceContext, staged: StagedSkills, name: string): Promise<boolean> {
  const read = await context.read(staged.folder);
  const look = await context.look();
  const head = [
    `Update "${name}" from ${staged.from}`,
    ...described(look, read, staged),
    ...changeLines(staged.changes),
    ...(await describeStaged(context, staged, read)),
  ].join("\n");
  const command = `scorel skill update ${shellWord(name)}`;
  return await agreed(context, head, { question: "Take it?", command, texts: () => staged.texts() });
}

/** Which skills appear and disappear, and which descriptions change. */
function described(look: SkillLook, read: SkillLook, { before }: StagedSkills): string[] {
  const old = new Map(
    look.skills.flatMap((skill) =>
      before && skill.archive?.tree === before.tree ? [[skill.name, skill.description]] : [],
    ),
  );
  const now = new Set(read.skills.map(({ name }) => name));
  const changed = read.skills.flatMap(({ name, description }) => {
    const was = old.get(name);
    if (was === undefined) return before ? [`  new skill: ${name}`] : [];
    return was === description ? [] : [`  description of ${name}, before: ${was}`, `  and now: ${description}`];
  });
  return [...changed, ...[...old.keys()].filter((name) => !now.has(name)).map((name) => `  no longer there: ${name}`)];
}

/** Everything that was added, and the configured archives. */
async function wantedIn({ store, roots }: SourceContext): Promise<Wanted[]> {
  const kept = await store.list();
  const configured: Wanted[] = [];
  for (const address of roots) {
    const found = await store.find(address, "/").catch(() => undefined);
    configured.push({ address, base: "/", ...(found && { kept: found }) });
  }
  const known = new Set(configured.map((each) => each.kept?.id));
  const added = kept.filter(({ id, added: isAdded }) => isAdded && !known.has(id));
  return [
    ...added.map((each) => ({ address: each.isWhole ? each.from : undefined, base: "/", kept: each })),
    ...configured,
  ];
}

/** Finds an entry by its name, or by the name of a skill in it. Throws SKILLBOOK_UNKNOWN. */
async function named(context: SourceContext, all: readonly Wanted[], name: string): Promise<Wanted> {
  const { skills } = await context.look();
  const tree = skills.find((skill) => skill.name === name)?.archive?.tree;
  const found = all.find(({ kept }) => kept?.name === name) ?? all.find(({ kept }) => kept && kept.tree === tree);
  const known = all.flatMap(({ kept }) => kept?.name ?? []);
  if (!found) throw errors.SKILLBOOK_UNKNOWN({ name, known });
  return found;
}

function withSource({ invocation: { args, cwd } }: SourceContext, wanted: Wanted): Wanted {
  return args[1] === undefined ? wanted : { ...wanted, address: args[1], base: cwd };
}
