import { environmentOf } from "@scorel/kit/process/environment";
import type { Skill } from "@scorel/skills/contract";
import type { RunnerContext } from "./config.ts";

/** The variables and network access that `[runner]` grants to a skill by its name. */
export interface Grants {
  /** Variables of the user's environment: that of the client, or else of this process. */
  secrets: Readonly<Record<string, string>>;
  network: boolean;
  /** Why the grants were withheld, although there are some for this name. */
  withheld?: string;
}

/** A project's skill with the same name as one of the user's skills gets none of its grants. */
export function grantsOf(ctx: RunnerContext, skill: Skill): Grants {
  const { env, network } = ctx.config;
  const names = Object.hasOwn(env, skill.name) ? (env[skill.name] ?? []) : [];
  const isOnline = network.includes(skill.name);
  if (shadowsOther(ctx, skill) && (names.length > 0 || isOnline))
    return {
      secrets: {},
      network: false,
      withheld: `the project's skill ${skill.name} has the same name as another skill, so it does not get the variables and network access that [runner] grants to that name`,
    };
  const user = { ...process.env, ...environmentOf(ctx.find("workspace")?.environment ?? []) };
  const values = names.flatMap((name) => (user[name] === undefined ? [] : [[name, user[name]] as const]));
  return { secrets: Object.fromEntries(values), network: isOnline };
}

/** A skill of an earlier run may no longer be in its place, so the name counts, too. */
function shadowsOther(ctx: RunnerContext, { name, source, folder }: Skill): boolean {
  const { skills = [], shadowed = [] } = ctx.find("skills")?.look ?? {};
  const others = [
    ...skills.filter((each) => each.name === name),
    ...shadowed.filter((each) => each.by === folder || each.name === name),
  ];
  return source === "project" && others.some((each) => each.source !== "project");
}
