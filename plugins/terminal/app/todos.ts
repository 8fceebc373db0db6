import type { SessionView, ViewChange } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { safeLine } from "../rows/safe.ts";
import { cut } from "../rows/wrap.ts";
import type { Theme } from "../theme/theme.ts";

type List = Extract<DisplayAction, { display: "list" }>;
const SHOWN = 6;
const MARKS = { open: "☐", active: "▶", done: "☑" } as const;

/** The model's todo list: the last one in the conversation; undefined when all of its items are done. */
export function openList(view: SessionView, before?: List, change?: ViewChange): List | undefined {
  const { rows } = view;
  const isNew = change?.kind === "rows" && change.isNew;
  if (isNew && rows[change.index]?.display.display !== "list") return before;
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    const list = row?.active && row.type === "message" && row.display.display === "list" ? row.display : undefined;
    if (list) return list.items.some(({ state }) => state === "open" || state === "active") ? list : undefined;
  }
  return undefined;
}

/** The panel with the todo list: the open items, and how many are done. */
export function todoPanel({ title = "", items }: List, width: number, theme: Theme): string[] {
  const done = items.filter(({ state }) => state === "done").length;
  const left = items.filter(({ state }) => state !== "done");
  const shown = left.slice(0, SHOWN);
  const head = theme.style("strong", safeLine(title)) + theme.style("muted", ` ${done}/${items.length}`);
  const rows = shown.map(({ text, state = "open" }) =>
    cut(theme.style(state === "active" ? "accent" : "muted", `${MARKS[state]} ${safeLine(text)}`), width),
  );
  const rest = left.length > SHOWN ? [theme.style("muted", `  + ${left.length - SHOWN}`)] : [];
  return [cut(head, width), ...rows, ...rest];
}
