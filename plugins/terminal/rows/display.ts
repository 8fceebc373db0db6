import type { DisplayAction } from "@scorel/kernel";
import { cardLines } from "./card.ts";
import { diffLines } from "./diff.ts";
import type { Look, RowFacts } from "./look.ts";
import { safeLine, safeText } from "./safe.ts";
import { GrowingText } from "./stream.ts";
import { cut, wrapped } from "./wrap.ts";

type Of<D extends DisplayAction["display"]> = Extract<DisplayAction, { display: D }>;

/** Draws the display of an event, as its plugin has chosen it, as lines of at most `width` columns. */
export function displayLines(display: DisplayAction, width: number, look: Look, facts: RowFacts = {}): string[] {
  const { theme } = look;
  switch (display.display) {
    case "bubble":
      return bubble(display, width, look, facts);
    case "notice":
      return notice(display, width, look);
    case "marker":
      return [cut(theme.style("muted", `── ${safeLine(display.text)} ──`), width)];
    case "badge":
      return wrapped(theme.style("muted", `[${safeLine(display.text)}]`), width);
    case "fold":
      return fold(display, width, look, facts);
    case "diff":
      return [
        cut(theme.style("strong", safeLine(display.path)), width),
        ...diffLines(safeText(display.text), width, theme),
      ];
    case "list":
      return list(display, width, look, facts);
    case "card":
      return cardLines(display, width, look, facts, displayLines);
    default:
      return [];
  }
}

function bubble(display: Of<"bubble">, width: number, look: Look, facts: RowFacts): string[] {
  const { theme, words } = look;
  const labels: Record<string, string> = {
    steered: words.steered,
    "follow-up": words.followUp,
    retried: words.retried,
  };
  const label = display.label === undefined ? "" : (labels[display.label] ?? safeLine(display.label));
  if (display.role === "user") return userLines(display.text, { label, author: facts.author }, width, look);
  const thinking = display.thinking ? thinkingLines(display.thinking, width, look, facts) : [];
  const text = display.text.trim() === "" ? [] : new GrowingText().draw(display.text, width, look.drawing);
  const note = label === "" ? [] : wrapped(theme.style("warning", `(${label})`), width);
  const told = display.interrupted ? words.interrupted : words.brokenOff;
  const end = display.partial ? notice({ display: "notice", level: "warning", text: told }, width, look) : [];
  return [...thinking, ...(thinking.length > 0 && text.length > 0 ? [""] : []), ...text, ...note, ...end];
}

interface UserMarks {
  label: string;
  author?: string | undefined;
}

/** A message of a user, with a mark at its left. */
export function userLines(text: string, { label, author }: UserMarks, width: number, look: Look): string[] {
  const { theme } = look;
  const head = author === undefined ? "" : theme.style("muted", `${safeLine(author)}: `);
  const note = label === "" ? "" : theme.style("muted", `  (${label})`);
  const lines = safeText(text.trimEnd()).split("\n");
  return lines
    .flatMap((line, at) =>
      wrapped(`${at === 0 ? head : ""}${theme.style("user", line)}${at === lines.length - 1 ? note : ""}`, width - 2),
    )
    .map((line) => theme.style("accent", "▌ ") + line);
}

/** The model's thinking: one line for it, or all of it. */
export function thinkingLines(thinking: string, width: number, look: Look, facts: RowFacts = {}): string[] {
  const { theme, words } = look;
  const isOpen = look.showsThinking || facts.isOpen === true;
  if (!isOpen)
    return [theme.style("muted", `✻ ${words.thought}`) + theme.style("muted", ` · ${words.fold(look.thinkingKey)}`)];
  const text = safeText(thinking.trim()).split("\n");
  return [
    theme.style("muted", `✻ ${words.thought}`),
    ...text
      .flatMap((line) => wrapped(theme.style("emphasis", line), width - 2))
      .map((line) => theme.style("faint", "┊ ") + theme.style("muted", line)),
  ];
}

function notice({ level, text }: Of<"notice">, width: number, { theme }: Look): string[] {
  const role = level === "info" ? "muted" : level;
  const mark = { info: "·", warning: "!", error: "✗" }[level] ?? "·";
  // The mark says that it is a warning; lines of other clients say so in a word.
  const said = level === "warning" ? text.replace(/^warning: /, "") : text;
  return safeText(said.trimEnd())
    .split("\n")
    .flatMap((line, at) => wrapped(theme.style(role, `${at === 0 ? mark : " "} ${line}`), width, "  "));
}

function fold({ title, text }: Of<"fold">, width: number, look: Look, facts: RowFacts): string[] {
  const { theme } = look;
  const isOpen = look.isExpanded || facts.isOpen === true;
  const head = theme.style("muted", `${isOpen ? "▾" : "▸"} ${safeLine(title)}`);
  if (!isOpen) return wrapped(head, width, "  ");
  const lines = safeText(text.trimEnd()).split("\n");
  return [
    cut(head, width),
    ...lines.flatMap((line) => wrapped(theme.style("muted", line), width - 2).map((part) => `  ${part}`)),
  ];
}

/** A list of steps as one line: how many are done, and the active one. */
function progressOf(title = "", items: Of<"list">["items"], { theme }: Look): string {
  const done = items.filter(({ state }) => state === "done").length;
  const active = items.find(({ state }) => state === "active");
  const now = active ? theme.style("muted", `  ${safeLine(active.text)}`) : "";
  return `${theme.style("tool", safeLine(title))} ${theme.style("muted", `${done}/${items.length}`)}${now}`;
}

const BOXES = { open: "☐", active: "▶", done: "☑" };

/** A list, with a mark for the state of each item. */
function list({ title, items, text }: Of<"list">, width: number, look: Look, facts: RowFacts): string[] {
  const { theme } = look;
  if (items.length === 0) return wrapped(theme.style("muted", `· ${safeLine(text)}`), width, "  ");
  if (!look.isExpanded && facts.isOpen !== true && items.some(({ state }) => state !== undefined))
    return [cut(`${theme.style("success", "●")} ${progressOf(title, items, look)}`, width)];
  const head = title === undefined ? [] : [cut(theme.style("strong", safeLine(title)), width)];
  return [
    ...head,
    ...items.flatMap(({ text: item, state }) => {
      const mark = state === undefined ? "•" : BOXES[state];
      const role = state === "done" ? "muted" : state === "active" ? "accent" : "text";
      return wrapped(theme.style(role, `${mark} ${safeLine(item)}`), width - 2, "  ").map((line) => `  ${line}`);
    }),
  ];
}
