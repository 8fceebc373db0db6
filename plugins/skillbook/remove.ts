import type { PlacedSkills } from "@scorel/skillstore/contract";
import { errors } from "./errors.ts";
import { placeOf } from "./review.ts";
import type { SourceContext } from "./source-context.ts";

/** `scorel skill remove`: removes skills that were added under this name, or the only skill with this name. */
export async function remove(context: SourceContext): Promise<number> {
  const { store, invocation, roots, say } = context;
  const [name] = invocation.args as [string];
  const [kept, before] = [await store.list(), await context.look()];
  const skill = before.skills.find((each) => each.name === name);
  const found = kept.find((each) => each.name === name) ?? kept.find(({ tree }) => tree === skill?.archive?.tree);
  if (!found)
    throw skill
      ? errors.SKILLBOOK_ELSEWHERE({ name, place: placeOf(skill), shipped: skill.source === "shipped" })
      : unknown(name, kept);
  const names = before.skills.filter(({ archive }) => archive?.tree === found.tree).map((each) => each.name);
  if (found.name !== name && found.skills.length > 1)
    throw errors.SKILLBOOK_TOGETHER({ name, archive: found.name, others: found.skills.length - 1, from: found.from });
  for (const root of roots)
    if ((await store.find(root, "/").catch(() => undefined))?.id === found.id)
      throw errors.SKILLBOOK_ROOT({ name: found.name, from: found.from });
  await store.remove(found.id);
  const after = await context.look();
  const left = [name, ...names].flatMap((each) => after.skills.find((other) => other.name === each) ?? []);
  const lines = [...new Set(left)].map((other) => `"${other.name}" is still there: ${placeOf(other)}.`);
  await say(`Removed "${found.name}", which came from ${found.from}.`, ...lines);
  return 0;
}

function unknown(name: string, kept: readonly PlacedSkills[]) {
  return errors.SKILLBOOK_UNKNOWN({ name, known: kept.map((each) => each.name) });
}
