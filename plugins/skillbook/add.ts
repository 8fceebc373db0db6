import { shellWord } from "@scorel/kit/text/shell-word";
import type { SkillLook } from "@scorel/skills/contract";
import type { StagedSkills } from "@scorel/skillstore/contract";
import { errors } from "./errors.ts";
import { agreed, describeStaged } from "./review.ts";
import type { SourceContext } from "./source-context.ts";

/** `scorel skill add`: returns 1 when the user declines. */
export async function add(context: SourceContext): Promise<number> {
  const { store, invocation, reach } = context;
  const { args, options, cwd } = invocation;
  const [given] = args as [string];
  const there = await store.find(given, cwd);
  if (there?.added) throw errors.SKILLBOOK_ADDED({ name: there.name, from: there.from });
  const staged = await store.stage(given, cwd, reach);
  try {
    const read = await context.read(staged.folder);
    if (read.skills.length === 0) throw errors.SKILLBOOK_NONE({ from: staged.from, reasons: reasonsIn(read) });
    const name = await freeName(context, options.name as string | undefined, staged, read);
    const head = [`Add "${name}" from ${staged.from}`, ...(await describeStaged(context, staged, read))].join("\n");
    const command = `scorel skill add ${shellWord(shownWord(given, staged))}`;
    const { texts } = staged;
    if (!(await agreed(context, head, { question: "Add it?", command, texts: () => texts.call(staged) }))) return 1;
    await staged.install({ name, added: true });
    await context.say(`Added "${name}": ${read.skills.map((skill) => skill.name).join(", ")}.`);
    return 0;
  } finally {
    staged.discard();
  }
}

/** The name to install under. Throws SKILLBOOK_NAME if it is taken, before any question is asked. */
async function freeName(
  { store }: SourceContext,
  asked: string | undefined,
  staged: StagedSkills,
  { skills }: SkillLook,
): Promise<string> {
  const [only, ...others] = skills;
  const name = asked ?? (only && others.length === 0 ? only.name : staged.label);
  if (asked !== undefined && !/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(asked))
    throw errors.SKILLBOOK_NAME({ name, reason: "a name consists of letters and digits, with . _ - between them" });
  const other = (await store.list()).find((each) => each.name === name && each.id !== staged.before?.id);
  if (other) throw errors.SKILLBOOK_NAME({ name, reason: `it is already used for ${other.from}` });
  return name;
}

function reasonsIn({ skipped }: SkillLook): string {
  return skipped.map(({ reason }) => reason).join("; ");
}

/** Hides the rest of an address, which may contain credentials. */
function shownWord(given: string, { from }: StagedSkills): string {
  return /^https?:/i.test(given.trim()) ? from : given;
}
