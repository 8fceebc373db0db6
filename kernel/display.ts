import { errors } from "./errors.ts";

/**
 * How an event looks to a person: a closed union, so that every face can draw every plugin's events
 * without knowing the plugin. `text` is always a usable plain-text form.
 */
export type DisplayAction =
  /** A message of a conversation. `label` is a small mark such as "queued" or "steered". */
  | {
      display: "bubble";
      role: "user" | "assistant" | "system";
      text: string;
      thinking?: string;
      label?: string;
      partial?: boolean;
    }
  /** One line of information outside the conversation. */
  | { display: "notice"; level: "info" | "warning" | "error"; text: string }
  /** A mark in the timeline, such as "went back to here"; `target` is the event it points at. */
  | { display: "marker"; text: string; target?: string }
  /** A piece of work with a title, a state and a body. */
  | { display: "card"; title: string; status: "running" | "done" | "error"; text: string; body?: DisplayAction[] }
  /** A short tag on the message that follows. */
  | { display: "badge"; text: string }
  /** Long content, closed by default. */
  | { display: "fold"; title: string; text: string }
  /** A unified diff of one file. */
  | { display: "diff"; path: string; text: string }
  /** A list whose items may have a state. */
  | { display: "list"; title?: string; items: { text: string; state?: "open" | "active" | "done" }[]; text: string }
  | { display: "hidden" };

/** The plain-text form of a display action, for faces and logs without any drawing. */
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
