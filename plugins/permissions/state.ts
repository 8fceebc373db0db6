import type {
  EventDefinition,
  EventOf,
  Events,
  PluginContext,
  ProjectionDefinition,
  TransientDefinition,
  TransientOf,
  Transients,
} from "@scorel/kernel";
import { lockerOf, lockOn } from "@scorel/kit/session/locks";
import type {} from "@scorel/requests/contract";
import type {} from "@scorel/runner/contract";
import type {} from "@scorel/skills/contract";
import type { LockedSetting, Workspace } from "@scorel/workspace/contract";
import { z } from "zod";
import type { PermissionsConfig } from "./config.ts";
import type { Mode } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Limits, limitsBy, narrowed, narrowest, parentRules } from "./inherited.ts";
import { type Rule, readRule } from "./rules/rule.ts";
import type { Readable } from "./verdict.ts";

export type Context = PluginContext<PermissionsConfig, "agent" | "requests">;
export const MODES = ["ask", "edits", "full", "plan"] as const satisfies readonly Mode[];

/** What sets a session's mode if nobody has chosen one since it was opened. */
interface ModeSettings {
  opened: Mode | undefined;
  stored: Mode | undefined;
}

/** The state of one open session. */
export interface State {
  ctx: Context;
  /** The mode chosen since the session was opened. */
  chosen?: Mode;
  /**
   * The narrower mode of the session's parent that was recorded last, and the settings that it hides. These apply again when the
   * parent widens its mode.
   */
  followed?: { mode: Mode; own: ModeSettings } | undefined;
  /** Paths read by the judged calls of the last reply, by call id. An entry is removed when its call begins. */
  judged?: { reply: object; reads: Map<string, readonly string[] | undefined> };
  /** Paths read by allowed calls that a person's message names, by call id. */
  named: Map<string, readonly string[] | undefined>;
  /** Rules that the person allowed for this session. */
  rules: string[];
  /** Rules from files that the person forgot since the session was opened. */
  forgotten: Set<string>;
  /** Withdraws the open question about a plan. */
  proposal?: AbortController;
  /** Whether rules without an effect were already reported. */
  warned?: boolean;
  /** Whether somebody was ever there to ask. The mode does not become freer when they leave. */
  attended?: boolean;
  /** The end of the question queue: questions are asked one at a time, in call order. */
  asking: Promise<unknown>;
  /** Objections made by this plugin, so that they are not treated like those of other guards. */
  own: WeakSet<object>;
}

/**
 * The current mode. The first one set wins: chosen since opening, given at start, stored in the session, configured, and
 * finally a default: `ask` if somebody can answer, else `edits`. A stored `full` is ignored. It is never wider than
 * the mode of the session's parent.
 */
export function modeOf(state: State): Mode {
  const lock = modeLock(state);
  const limits = limitsOf(state.ctx);
  // A parent that is no longer open limits the session as it did before.
  const recorded = limits.length < 2 && state.followed ? [state.followed] : [];
  return narrowest(ownMode(state), [...limits, ...recorded, ...(lock ? [lock] : [])]);
}

/** The widest mode that could be chosen in the session. */
export function widestMode(state: State): Mode {
  const lock = modeLock(state);
  return narrowest("full", [...limitsOf(state.ctx), ...(lock ? [lock] : [])]);
}

/** The mode of a session in which none was chosen. */
export function unchosenMode(state: State): Mode {
  const lock = modeLock(state);
  return narrowest(state.ctx.config.mode ?? defaultMode(state), [...limitsOf(state.ctx), ...(lock ? [lock] : [])]);
}

/** The lock of a preset on the mode, with the widest mode that it allows. */
export function modeLock(state: State): { mode: Mode; lock: LockedSetting } | undefined {
  const { ctx } = state;
  const lock = lockOn("permissions.mode", workspaceOf(ctx)?.locks);
  return lock && { mode: ctx.config.mode ?? defaultMode(state), lock };
}

/** Throws PERMISSIONS_LOCKED for a mode that is wider than a lock allows. */
export function assertUnlocked(mode: Mode, state: State): void {
  const limit = modeLock(state);
  if (!limit || isUnlocked(mode, state)) return;
  const allowed = MODES.filter((each) => isUnlocked(each, state));
  throw errors.PERMISSIONS_LOCKED({ mode, by: lockerOf(limit.lock), configured: limit.mode, allowed });
}

/** Whether a lock on the mode allows this one. */
export function isUnlocked(mode: Mode, state: State): boolean {
  const limit = modeLock(state);
  return !limit || narrowest(mode, [limit]) === mode;
}

/** Whether a mode may be chosen here, and would then apply. */
export function allowsMode(mode: Mode, state: State): boolean {
  return isUnlocked(mode, state) && narrowest(mode, limitsOf(state.ctx)) === mode;
}

/** The mode as it would be without a parent. */
export function ownMode(state: State): Mode {
  const { ctx, chosen } = state;
  const { opened, stored } = state.followed?.own ?? settingsOf(state);
  const before = stored === "full" ? undefined : stored;
  const given = chosen ?? opened ?? before ?? ctx.config.mode;
  const fallback = defaultMode(state);
  return given ?? fallback;
}

/** The mode that applies when nothing sets one. It does not become freer when the person who was there leaves. */
function defaultMode(state: State): Mode {
  state.attended ||= state.ctx.requests.attended;
  return state.attended ? "ask" : "edits";
}

/** The mode that the session was opened with, and the one in its log. */
export function settingsOf({ ctx }: State): ModeSettings {
  return { opened: workspaceOf(ctx)?.permission, stored: ctx.session.projection("permissionMode").mode };
}

/** The limits set by the session's parent; empty without a parent. */
export function limitsOf(ctx: Context): Limits[] {
  return limitsBy(workspaceOf(ctx)?.parent);
}

/** The settings `[permissions]`, restricted by those of the session's parent. */
export function configOf(ctx: Context): PermissionsConfig {
  const limits = limitsOf(ctx);
  return limits.length > 0 ? narrowed(ctx.config, limits) : ctx.config;
}

/** The most that this session allows its child sessions. */
export function childLimits(state: State): Limits {
  const { allow, ask, deny, read, readers, unknown } = configOf(state.ctx);
  const held = (rules: readonly string[]) => rules.filter((rule) => !state.forgotten.has(rule));
  const session = [...state.rules, ...parentRules(workspaceOf(state.ctx)?.parent)];
  return { mode: modeOf(state), allow: held(allow), ask, deny, read, readers, unknown, session: held(session) };
}

/** What may be read besides the project: configured paths, skill folders, and files made by skills' programs. */
export function readableIn(ctx: Context): Readable {
  const skills = ctx.find("skills")?.look.skills ?? [];
  const made = ctx.find("refs")?.folder();
  const folders = new Set(skills.flatMap(({ folder, files }) => [folder, files]));
  if (made !== undefined) folders.add(made);
  return { patterns: configOf(ctx).read, folders: [...folders] };
}

/** Parses rules, which the configuration has already checked. */
export function parsed(texts: readonly string[]): Rule[] {
  return texts.flatMap(readRule);
}

/** The service `workspace`; undefined in a session without one. */
export function workspaceOf(ctx: Context): Workspace | undefined {
  return ctx.find("workspace");
}

/** A side event, which a rewind does not undo, and durable: an approved plan stays approved. */
export const permissionMode: EventDefinition<Events["permission_mode"]> = {
  schema: z.strictObject({ mode: z.enum(MODES) }),
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: ({ mode }: EventOf<"permission_mode">) => ({
    display: "notice",
    level: "info",
    text: `Permission mode: ${mode}`,
  }),
};

export const permissionDenied: TransientDefinition<Transients["permission_denied"]> = {
  transient: true,
  schema: z.strictObject({
    tool: z.string(),
    what: z.string(),
    rules: z.array(z.string()),
    why: z.string(),
    mode: z.enum(MODES),
    inEveryMode: z.literal(true).optional(),
    locked: z.strictObject({ by: z.string(), mode: z.enum(MODES).optional() }).optional(),
    allowedBy: z.array(z.string()).optional(),
  }),
  convertToDisplay: ({ what }: TransientOf<"permission_denied">) => ({
    display: "notice",
    level: "info",
    text: `Not allowed: ${what}`,
  }),
};

export const permissionModeProjection: ProjectionDefinition<{ mode?: Mode }> = {
  over: "log",
  reads: ["permission_mode"],
  init: () => ({}),
  update: (state, event: { type: string; mode?: Mode }) =>
    event.type === "permission_mode" && event.mode ? { mode: event.mode } : state,
};

/**
 * Whether the model was last told, on this path, that the mode is `plan`. A compaction resets it, because the summary
 * may drop the notice.
 */
export const permissionTold: ProjectionDefinition<{ planning: boolean }> = {
  over: "path",
  reads: [{ type: "harness_item", containing: '"planMode"' }, "compact"],
  init: () => ({ planning: false }),
  update(state, event: { type: string; data?: { planMode?: boolean } }) {
    if (event.type === "compact") return { planning: false };
    const planning = event.type === "harness_item" ? event.data?.planMode : undefined;
    return planning === undefined ? state : { planning };
  },
};

/** Whether plan mode changed since the model was last told. */
export function isModeUnreported(state: State): boolean {
  return (modeOf(state) === "plan") !== state.ctx.session.projection("permissionTold").planning;
}
