import type { Client } from "@scorel/host/contract";
import type { Mode } from "./contract.ts";
import { errors } from "./errors.ts";
import { removeRules, rulesOf } from "./rules/rule-file.ts";
import { MODES, modeOf, type State } from "./state.ts";

/** The command `/permission`: shows the mode and rules, changes the mode, or forgets a rule. */
export async function permission(
  asked: Mode | "forget" | undefined,
  rule: string | undefined,
  state: State,
  { sessionId, request }: { sessionId: string; request: Client["request"] },
): Promise<string | undefined> {
  if (asked === "forget") return await forget(rule, state);
  if (asked === undefined) return await overview(state);
  await request("set_permission", { sessionId, mode: asked });
  const mode = modeOf(state);
  // The session keeps its choice for when its parent has a wider mode again.
  return mode === asked ? undefined : `The mode stays ${mode}: that of the session that this one belongs to.`;
}

async function overview(state: State): Promise<string> {
  const { ctx, rules, forgotten } = state;
  const { allow, ask, deny } = ctx.config;
  const own = await kept(state);
  const others = allow.filter((rule) => !own.includes(rule) && !forgotten.has(rule));
  const inSession = rules.filter((rule) => !own.includes(rule));
  const lists = { deny, ask, allow: others, "allow in this project": own, "allow in this session": inSession };
  const rows = Object.entries(lists).flatMap(([list, each]) => each.map((rule) => `${list}: ${rule}`));
  return [`mode: ${modeOf(state)} (of ${MODES.join(", ")})`, ...rows].join("\n");
}

/** The rules kept for this project; empty when the project is unknown, which is reported when a rule is kept. */
async function kept({ ctx }: State): Promise<string[]> {
  return ctx.find("projects") ? await rulesOf("project", ctx) : [];
}

async function forget(rule: string | undefined, state: State): Promise<string> {
  const { ctx } = state;
  if (rule === undefined) throw errors.PERMISSIONS_FORGET({ rule: "", known: await kept(state) });
  const session = state.rules.includes(rule);
  const project = ctx.find("projects") ? await removeRules([rule], "project", ctx) : [];
  const everywhere = await removeRules([rule], "everywhere", ctx);
  if (!session && project.length + everywhere.length === 0)
    throw errors.PERMISSIONS_FORGET({ rule, known: [...(await kept(state)), ...state.rules] });
  state.rules = state.rules.filter((each) => each !== rule);
  state.forgotten.add(rule);
  const places = [...(project.length > 0 ? ["this project"] : []), ...(everywhere.length > 0 ? ["every project"] : [])];
  return `Forgotten for ${places.join(" and ") || "this session"}: ${rule}`;
}
