import type { DisplayAction } from "./display.ts";
import { errors } from "./errors.ts";
import type { LlmAction } from "./types.ts";

const DISPLAYS: Record<DisplayAction["display"], readonly string[]> = {
  bubble: ["role", "text"],
  notice: ["level", "text"],
  marker: ["text"],
  card: ["title", "status", "text"],
  badge: ["text"],
  fold: ["title", "text"],
  diff: ["path", "text"],
  list: ["text"],
  hidden: [],
};
const ACTIONS: readonly string[] = ["include", "merge_prev", "skip", "barrier"] satisfies LlmAction["action"][];

/** Answers it when every face can draw it, else throws EVENT_DISPLAY. */
export function asDisplay(type: string, value: unknown): DisplayAction {
  const action = value as Record<string, unknown> | null | undefined;
  const texts = DISPLAYS[action?.display as DisplayAction["display"]];
  const missing = texts?.find((key) => typeof action?.[key] !== "string");
  if (texts === undefined || missing !== undefined) throw errors.EVENT_DISPLAY({ type, ...(missing && { missing }) });
  if (action?.display === "list" && !isList(action.items)) throw errors.EVENT_DISPLAY({ type, missing: "items" });
  if (action?.display === "card" && action.body !== undefined)
    for (const part of Array.isArray(action.body) ? action.body : [undefined]) asDisplay(type, part);
  return value as DisplayAction;
}

function isList(items: unknown): boolean {
  return Array.isArray(items) && items.every((item) => typeof (item as { text?: unknown } | null)?.text === "string");
}

/** Answers it when a context can be built with it, else throws EVENT_LLM; `isMessage` knows what a model can read. */
export function asLlmAction(type: string, value: unknown, isMessage: (value: unknown) => boolean): LlmAction {
  const action = value as Record<string, unknown> | null | undefined;
  const fail = (reason: string) => errors.EVENT_LLM({ type, reason });
  if (!ACTIONS.includes(action?.action as string)) throw fail(`it has none of the actions ${ACTIONS.join(", ")}`);
  const key = ({ include: "message", merge_prev: "otherwise", barrier: "summary" } as const)[
    action?.action as "include"
  ];
  if (key && !isMessage(action?.[key])) throw fail(`its ${key} is no message`);
  if (action?.action === "merge_prev" && typeof action.content !== "string") throw fail("its content is no text");
  return value as LlmAction;
}
