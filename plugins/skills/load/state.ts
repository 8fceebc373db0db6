import { type EventOf, isEvent, type ProjectionDefinition, type Projections, type StoredEvent } from "@scorel/kernel";
import type { HarnessItem, ScorelMessage } from "@scorel/messages/contract";
import { z } from "zod";
import type { IndexedSkill, LoadedSkill, SkillChanges, SkillState, SkillStateDelta } from "../contract.ts";
import { loadedSkill, stateDelta } from "../events.ts";

/** Details of a tool result that change the session's state. */
export const toolDetails = z.object({ stateDelta, skill: loadedSkill });
export type ToolDetails = z.output<typeof toolDetails>;

const PREFIX = { loaded: "temp:skill:loaded:", docs: "temp:skill:docs:" };
const TOOLS = ["skill_load", "skill_select_docs"];

export const keyOf = {
  loaded: (name: string) => PREFIX.loaded + name,
  docs: (name: string) => PREFIX.docs + name,
};

/** The content events of a skill, its body first. */
export function contentsIn({ content, docs }: LoadedSkill): string[] {
  return [...(content === undefined ? [] : [content]), ...docs.map((doc) => doc.content)];
}

/** A change that unloads these skills. */
export function cleared(names: readonly string[], keys: SkillState["keys"]): SkillStateDelta {
  const all = names.flatMap((name) => [keyOf.loaded(name), keyOf.docs(name)]);
  return Object.fromEntries(all.filter((key) => Object.hasOwn(keys, key)).map((key) => [key, null]));
}

/** Follows the path, so that rewinding restores what was loaded there. */
export const skillState: ProjectionDefinition<SkillState> = {
  over: "path",
  reads: [
    { type: "message", containing: '"temp:skill:' },
    "skill_state",
    "skill_context",
    "compact",
    { type: "harness_item", containing: '"skillChanges"' },
  ],
  init: () => ({ keys: {}, loaded: [], shown: {}, told: [] }),
  update(state, event: StoredEvent) {
    if (isEvent(event, "message")) return afterTool(state, event.message);
    if (isEvent(event, "skill_state")) return changed(state, event);
    if (isEvent(event, "skill_context")) return placed(state, event);
    if (isEvent(event, "compact")) return { ...state, through: event.compactedThrough };
    return isEvent(event, "harness_item") ? told(state, event) : state;
  },
};

/** The first index and the current one, for all branches. */
export const skillIndex: ProjectionDefinition<Projections["skillIndex"]> = {
  over: "log",
  reads: ["skill_index"],
  init: () => null,
  update(state, event: EventOf<"skill_index">) {
    const { skills, snapshot, shortened } = event;
    if (snapshot || !state) return { first: skills, now: skills, shortened: shortened === true };
    return { ...state, now: applied(state.now, event) };
  },
};

/** Finds the event of a text, so that each text is stored once. */
export const skillContents: ProjectionDefinition<Projections["skillContents"]> = {
  over: "log",
  reads: ["skill_content"],
  init: () => ({}),
  update(state, { id, ...event }: EventOf<"skill_content">) {
    const key = contentKey(event);
    return Object.hasOwn(state, key) ? state : { ...state, [key]: id };
  },
};

/** The key of a stored text in the projection `skillContents`. */
export function contentKey({ digest, skill, path }: { digest: string; skill: string; path: string }): string {
  return `${digest} ${skill}/${path}`;
}

/** Applies a change to an index. */
export function applied(rows: readonly IndexedSkill[], { skills, removed }: SkillChanges): IndexedSkill[] {
  const gone = new Set([...removed, ...skills.map(({ name }) => name)]);
  return [...rows.filter(({ name }) => !gone.has(name)), ...skills].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function afterTool(state: SkillState, message: ScorelMessage): SkillState {
  if (message.role !== "tool_result" || message.isError || !TOOLS.includes(message.toolName)) return state;
  // Results of this process were checked, but a log may come from anywhere.
  const { data } = toolDetails.safeParse(message.details, { jitless: true });
  return data ? changed(state, { stateDelta: data.stateDelta, skills: [data.skill as LoadedSkill] }) : state;
}

function changed(
  state: SkillState,
  { stateDelta: delta, skills }: { stateDelta: SkillStateDelta; skills: readonly LoadedSkill[] },
): SkillState {
  const own = Object.entries(delta).filter(([key]) => key.startsWith(PREFIX.loaded) || key.startsWith(PREFIX.docs));
  const entries = new Map(Object.entries(state.keys));
  for (const [key, value] of own) {
    if (value === null) entries.delete(key);
    else entries.set(key, value);
  }
  const keys = Object.fromEntries(entries);
  const names = new Set(skills.map(({ name }) => name));
  const rows = [...state.loaded.filter(({ name }) => !names.has(name)), ...skills];
  const holds = ({ name }: LoadedSkill) => entries.has(keyOf.loaded(name)) || entries.has(keyOf.docs(name));
  return { ...state, keys, loaded: rows.filter(holds) };
}

function placed(state: SkillState, { skills, seq }: EventOf<"skill_context">): SkillState {
  const ids = skills.flatMap(({ content, docs }) => [content, ...docs.map((doc) => doc.content)]);
  const shown = ids.flatMap((id) => (id === undefined ? [] : [[id, seq]]));
  return { ...state, shown: { ...state.shown, ...Object.fromEntries(shown) } };
}

function told(state: SkillState, { seq, origin, data }: HarnessItem & { seq: number }): SkillState {
  const changes = (data as { skillChanges?: SkillChanges } | undefined)?.skillChanges;
  if (origin !== "skill" || !changes) return state;
  return { ...state, told: [...state.told, { ...changes, seq }] };
}
