import type { DisplayAction } from "@scorel/kernel";
import { errors } from "../errors.ts";

/** The plain-text form of a display action, for clients and logs that only show text. */
export function displayText(action: DisplayAction): string {
  if (action.display === "hidden") return "";
  if (action.display === "fold") return `${action.title}\n${action.text}`;
  if (action.display === "card")
    return [action.title, action.text, ...(action.body ?? []).map(displayText)]
      .filter((part) => part !== "")
      .join("\n");
  return action.text;
}

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

/** Returns the value if it is a display action that every client can draw; otherwise throws EVENT_DISPLAY. */
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
