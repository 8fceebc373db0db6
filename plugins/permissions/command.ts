import type { Client } from "@scorel/host/contract";
import { visibleName, visiblePath } from "@scorel/kit/text/plain";
import type { Mode, RulePlace } from "./contract.ts";
import { errors } from "./errors.ts";
import { removeRules, rulesOf } from "./rules/rule-file.ts";
import { MODES, modeOf, type State } from "./state.ts";

interface Asking {
  sessionId: string;
  request: Client["request"];
}

/** The command `/permission`: shows the mode and rules, changes the mode, or forgets a rule. */
export async function permission(
  asked: Mode | "forget" | undefined,
  rule: string | undefined,
  state: State,
  asking: Asking,
): Promise<string | undefined> {
  const { sessionId, request } = asking;
  if (asked === "forget") return await forget(rule, state, asking);
  if (asked === undefined) return await overview(state);
  await request("set_permission", { sessionId, mode: asked });
  const mode = modeOf(state);
  // The session records the wider mode, but the limits of its parent still apply.
  return mode === asked ? undefined : `The mode stays ${mode}: the parent session does not allow more.`;
}

async function overview(state: State): Promise<string> {
  const { ctx, rules, forgotten } = state;
  const { allow, ask, deny } = ctx.config;
  const own = await kept(state);
  const others = allow.filter((rule) => !own.includes(rule) && !forgotten.has(rule));
  const inSession = rules.filter((rule) => !own.includes(rule));
  const lists = { deny, ask, allow: others, "allow in this project": own, "allow in this session": inSession };
  const rows = Object.entries(lists).flatMap(([list, each]) => each.map((rule) => `${list}: ${visiblePath(rule)}`));
  return [`mode: ${modeOf(state)} (of ${MODES.join(", ")})`, ...rows].join("\n");
}

/** The rules saved for this project; empty when the project is unknown, which is reported when a rule is saved. */
async function kept({ ctx }: State): Promise<string[]> {
  return ctx.find("projects") ? await rulesOf("project", ctx) : [];
}

async function forget(rule: string | undefined, state: State, { sessionId, request }: Asking): Promise<string> {
  if (rule === undefined) throw errors.PERMISSIONS_FORGET({ rule: "", known: await kept(state) });
  const { places } = await request("forget_rule", { sessionId, rule });
  const names = places.filter((place) => place !== "session").map((place) => PLACE_NAMES[place]);
  return `Forgotten for ${names.join(" and ") || PLACE_NAMES.session}: ${visibleName(rule)}`;
}

const PLACE_NAMES: Record<RulePlace, string> = {
  session: "this session",
  project: "this project",
  everywhere: "every project",
};

/**
 * Removes an allowed rule from the session and from the user's files. The rule may be written as `/permission` shows
 * it. `assertAllSessions` throws for a client that may not change what applies in other sessions.
 */
export async function forgetRule(
  given: string,
  state: State,
  assertAllSessions: () => Promise<void>,
): Promise<RulePlace[]> {
  const { ctx } = state;
  const project = await kept(state);
  const everywhere = await rulesOf("everywhere", ctx);
  const lists: Record<RulePlace, readonly string[]> = { session: state.rules, project, everywhere };
  const all = Object.values(lists).flat();
  const rule = all.find((each) => each === given) ?? all.find((each) => visiblePath(each) === given) ?? given;
  const places = (["session", "project", "everywhere"] as const).filter((place) => lists[place].includes(rule));
  if (places.length === 0) throw errors.PERMISSIONS_FORGET({ rule, known: [...project, ...state.rules] });
  for (const place of places) {
    if (place === "session") continue;
    await assertAllSessions();
    await removeRules([rule], place, ctx);
  }
  state.rules = state.rules.filter((each) => each !== rule);
  state.forgotten.add(rule);
  return places;
}
