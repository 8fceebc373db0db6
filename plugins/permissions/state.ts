import type { Workspace } from "@scorel/host/contract";
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
import type {} from "@scorel/requests/contract";
import type {} from "@scorel/runner/contract";
import type {} from "@scorel/skills/contract";
import { z } from "zod";
import type { PermissionsConfig } from "./config.ts";
import type { Mode } from "./contract.ts";
import { type Rule, readRule } from "./rule.ts";
import type { Readable } from "./verdict.ts";

export type Context = PluginContext<PermissionsConfig, "agent" | "requests">;
export const MODES = ["ask", "edits", "full", "plan"] as const satisfies readonly Mode[];

/** What holds in one open session, and ends with it. */
export interface State {
  ctx: Context;
  /** Chosen since it was opened. */
  chosen?: Mode;
  /** What the judged calls of the last reply read, by the id of the call; a call that began is taken out. */
  judged?: { reply: object; reads: Map<string, readonly string[] | undefined> };
  /** Rules that a person gave for the session. */
  rules: string[];
  /** Rules of files that a person took back since the session was opened. */
  forgotten: Set<string>;
  /** Those of the user's that hold everywhere, and whose reach nobody was asked about when this was looked up. */
  oldRules?: Promise<readonly string[]>;
  /** Takes back the question about a plan. */
  proposal?: AbortController;
  /** Rules without an effect were told of. */
  warned?: boolean;
  /** Somebody was there to ask: that nobody is any more frees nothing. */
  attended?: boolean;
  /** One question after the other, in the order of the calls. */
  asking: Promise<unknown>;
}

/**
 * The mode that holds now: what was chosen since the session was opened, what the run was started with, what was chosen in
 * the session before, the configuration, and else what fits the face. `full` is not taken over from before.
 */
export function modeOf(state: State): Mode {
  const { ctx, chosen } = state;
  const stored = ctx.session.projection("permissionMode").mode;
  const before = stored === "full" ? undefined : stored;
  const given = chosen ?? workspaceOf(ctx)?.permission ?? before ?? ctx.config.mode;
  state.attended ||= ctx.requests.attended;
  return given ?? (state.attended ? "ask" : "edits");
}

/** What may be read beside the project: by the configuration, files of skills, and what their programs made in this session. */
export function readableIn(ctx: Context): Readable {
  const skills = ctx.find("skills")?.look.skills ?? [];
  const made = ctx.find("refs")?.folder();
  const folders = new Set(skills.flatMap(({ folder, files }) => [folder, files]));
  if (made !== undefined) folders.add(made);
  return { patterns: ctx.config.read, folders: [...folders] };
}

/** The rules among these texts, which the configuration has checked. */
export function parsed(texts: readonly string[]): Rule[] {
  return texts.flatMap(readRule);
}

export function workspaceOf(ctx: Context): Workspace | undefined {
  return ctx.find("workspace");
}

/** Beside the conversation, and kept: a plan that was approved stays approved. */
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
  schema: z.strictObject({ tool: z.string(), what: z.string(), rules: z.array(z.string()) }),
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

/** What the model on this path was told last about planning; a summary of the conversation forgets it. */
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

/** Whether plan mode has begun or ended since the model was told last. */
export function isUntold(state: State): boolean {
  return (modeOf(state) === "plan") !== state.ctx.session.projection("permissionTold").planning;
}
