import { errors } from "../errors.ts";
import { nearest } from "../values/nearest.ts";

/** The text fields of a display action. The contract of plugin `messages` has the whole type, `DisplayAction`. */
interface Texts {
  display: string;
  title?: string;
  text?: string;
  body?: readonly Texts[];
}

/** The plain-text form of a display action, for clients and logs that only show text. */
export function displayText(action: Texts): string {
  if (action.display === "hidden") return "";
  if (action.display === "fold") return `${action.title}\n${action.text}`;
  if (action.display === "card")
    return [action.title, action.text, ...(action.body ?? []).map(displayText)].filter(Boolean).join("\n");
  return action.text ?? "";
}

/** The kinds of display action, each with the texts that it must have. */
const DISPLAYS: Record<string, readonly string[]> = {
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
export function asDisplay<D>(type: string, value: D | undefined): D {
  const action = value as Record<string, unknown> | null | undefined;
  const texts = Object.hasOwn(DISPLAYS, String(action?.display)) ? DISPLAYS[String(action?.display)] : undefined;
  const missing = texts?.find((key) => typeof action?.[key] !== "string");
  if (missing !== undefined) throw errors.EVENT_DISPLAY({ type, missing });
  if (texts === undefined) throw errors.EVENT_DISPLAY({ type, ...unknownDisplay(action?.display) });
  if (action?.display === "list" && !isList(action.items)) throw errors.EVENT_DISPLAY({ type, missing: "items" });
  if (action?.display === "card" && action.body !== undefined)
    for (const part of Array.isArray(action.body) ? action.body : [undefined]) asDisplay(type, part);
  return value as D;
}

function unknownDisplay(display: unknown): { display?: string; near?: string } {
  if (typeof display !== "string") return {};
  const near = nearest(display, Object.keys(DISPLAYS));
  return { display: display.slice(0, 100), ...(near !== undefined && { near }) };
}

function isList(items: unknown): boolean {
  return Array.isArray(items) && items.every((item) => typeof (item as { text?: unknown } | null)?.text === "string");
}
