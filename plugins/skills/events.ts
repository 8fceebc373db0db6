import {
  type ConvertContext,
  type DisplayAction,
  type EventDefinition,
  type EventOf,
  type Events,
  isEvent,
} from "@scorel/kernel";
import type { UserMessage } from "@scorel/messages/contract";
import { z } from "zod";
import { type ContentOf, contextText } from "./load/blocks.ts";

const indexed = z.strictObject({
  name: z.string(),
  description: z.string(),
  source: z.enum(["project", "user", "configured", "package", "shipped"]),
  folder: z.string(),
  digest: z.string(),
});
/** The schema of a loaded skill, as stored in tool results and events. */
export const loadedSkill = z.strictObject({
  name: z.string(),
  digest: z.string().optional(),
  content: z.string().optional(),
  folder: z.string().optional(),
  docs: z.array(z.strictObject({ path: z.string(), content: z.string() })),
});
/** Changed keys of the session; null removes a key. */
export const stateDelta = z.record(z.string(), z.string().nullable());

/** Makes a side event: the active leaf stays the same. */
const stay = (_event: unknown, current: string | null) => current;
const hidden = (): DisplayAction => ({ display: "hidden" });

const skillIndex: EventDefinition<Events["skill_index"]> = {
  schema: z.strictObject({
    snapshot: z.literal(true).optional(),
    shortened: z.literal(true).optional(),
    skills: z.array(indexed),
    removed: z.array(z.string()),
  }),
  leaf: stay,
  copied: "all",
  convertToDisplay: hidden,
};

const skillContent: EventDefinition<Events["skill_content"]> = {
  schema: z.strictObject({ skill: z.string(), path: z.string(), digest: z.string(), text: z.string() }),
  leaf: stay,
  copied: "all",
  convertToDisplay: hidden,
};

/** A path event, so that other branches do not see what was loaded here. */
const skillState: EventDefinition<Events["skill_state"]> = {
  schema: z.strictObject({ why: z.enum(["turn", "once", "user", "room"]), stateDelta, skills: z.array(loadedSkill) }),
  convertToDisplay: ({ why, skills }: EventOf<"skill_state">) =>
    why === "user"
      ? { display: "notice", level: "info", text: `Skill loaded: ${skills.map(({ name }) => name).join(", ")}` }
      : { display: "hidden" },
};

const skillContext: EventDefinition<Events["skill_context"]> = {
  schema: z.strictObject({
    skills: z.array(loadedSkill),
    again: z.literal(true).optional(),
    left: z.array(z.string()),
  }),
  convertToLlm: (event: EventOf<"skill_context">, context) => {
    // In the other placements, each request gets the loaded texts anew.
    if ((context.find("skills")?.placement ?? "append") !== "append") return { action: "skip" };
    const content = contextText(event, contentsOf(context));
    const otherwise: UserMessage = { role: "user", content, timestamp: event.ts };
    return { action: "merge_prev", content, otherwise };
  },
  convertToDisplay: ({ skills, again, left }: EventOf<"skill_context">) => {
    if (!again) return { display: "hidden" };
    const kept = skills.map(({ name }) => name).join(", ") || "none";
    const lost = left.length > 0 ? `; no room for ${left.join(", ")}` : "";
    return { display: "notice", level: "info", text: `Loaded skills that were kept: ${kept}${lost}` };
  },
};

export const events = {
  skill_index: skillIndex,
  skill_content: skillContent,
  skill_state: skillState,
  skill_context: skillContext,
};

/** Returns a function that looks up loaded texts by event id. */
export function contentsOf({ get }: Pick<ConvertContext, "get">): ContentOf {
  return (id) => {
    const event = get(id);
    return isEvent(event, "skill_content") ? event.text : undefined;
  };
}
