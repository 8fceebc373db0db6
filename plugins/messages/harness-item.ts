import type { DisplayAction, EventDefinition, EventOf, Events } from "@scorel/kernel";
import { z } from "zod";
import type { HarnessKind, UserMessage } from "./contract.ts";
import { systemReminder } from "./reminder.ts";

/** Titles for display. */
const TITLES: Readonly<Record<HarnessKind, string>> = {
  attachment: "Added to the prompt",
  skill_listing: "Skills",
  skill_delta: "The model was told about skills",
  memory: "Remembered",
  date_change: "The date changed",
  steer: "Steered",
  runtime_notice: "Notice",
};
const KINDS = Object.keys(TITLES) as HarnessKind[];
/** Kinds with one sentence; others may be long. */
const SHORT: readonly HarnessKind[] = ["date_change", "steer", "runtime_notice"];

/** The event `harness_item`: a path event, since its position in the conversation matters. */
export const harnessItem: EventDefinition<Events["harness_item"]> = {
  schema: z.strictObject({
    kind: z.enum(KINDS),
    origin: z.enum(["user", "system", "tool", "skill"]),
    visibility: z.enum(["model", "user", "both"]),
    text: z.string().min(1),
    data: z.unknown().optional(),
  }),
  // A note of the user must survive a power loss.
  durable: (event: EventOf<"harness_item">) => event.origin === "user",
  convertToLlm: (event: EventOf<"harness_item">) => {
    if (event.visibility === "user") return { action: "skip" };
    const content = systemReminder(event.text);
    const otherwise: UserMessage = { role: "user", content, timestamp: event.ts };
    return { action: "merge_prev", content, otherwise };
  },
  convertToDisplay: display,
};

/** Renders a system note; never as a bubble, since it is not a message. */
function display({ kind, visibility, text, data }: EventOf<"harness_item">): DisplayAction {
  if (visibility === "model") return { display: "hidden" };
  if (!SHORT.includes(kind)) return { display: "fold", title: TITLES[kind], text };
  const isCalm = kind !== "runtime_notice" || (data as { level?: unknown } | null | undefined)?.level === "info";
  const level = isCalm ? "info" : "warning";
  return { display: "notice", level, text: kind === "steer" ? `${TITLES.steer}: ${text}` : text };
}
