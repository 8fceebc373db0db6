import type { DisplayAction } from "@scorel/kernel";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import type { ImageBlock } from "@scorel/messages/contract";
import { escaped } from "./html-text.ts";
import { type Highlighting, richText } from "./rich-text.ts";
import { dateOf } from "./shown.ts";

/** Lines of an output that are shown; the others are collapsed. */
const SHOWN_LINES = 40;
const RASTER = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const WHO = { user: "User", assistant: "Assistant", system: "System" };
type Of<D extends DisplayAction["display"]> = Extract<DisplayAction, { display: D }>;
interface Said {
  ts: number;
  model?: string | undefined;
  highlighting: Highlighting;
}

/** Renders an event as HTML. */
export function drawing(action: DisplayAction, said: Said): string {
  switch (action.display) {
    case "bubble":
      return bubble(action, said);
    case "card":
      return card(action, said);
    case "fold":
      return `<details class="fold"><summary>${escaped(action.title)}</summary><div class="plain">${escaped(action.text)}</div></details>\n`;
    case "diff":
      return diff(action);
    case "list":
      return list(action);
    case "notice":
      return `<p class="notice ${action.level === "info" ? "info" : action.level === "error" ? "error" : "warning"}">${escaped(action.text)}</p>\n`;
    case "hidden":
      return "";
    default:
      return `<p class="marker">${escaped(action.text)}</p>\n`;
  }
}

/** Renders images inline; invalid ones become a note. */
export function pictures(images: readonly ImageBlock[]): string {
  return images.map(picture).join("");
}

function picture({ mimeType, data }: ImageBlock): string {
  const digits = data.replace(/\s+/g, "");
  if (!RASTER.test(mimeType) || !BASE64.test(digits)) return '<p class="marker">[an image that cannot be shown]</p>\n';
  return `<p class="picture"><img alt="" src="data:${mimeType};base64,${digits}"></p>\n`;
}

function bubble({ role, text, thinking, label, partial }: Of<"bubble">, { ts, model, highlighting }: Said): string {
  const by = WHO[role] ?? "System";
  const marks = [model, label, partial && "ended early"]
    .filter(Boolean)
    .map((mark) => ` <small>${escaped(String(mark))}</small>`);
  const thought = thinking
    ? `<details class="thinking"><summary>Thinking</summary><div class="plain">${escaped(thinking)}</div></details>`
    : "";
  const written = () =>
    role === "assistant" ? richText(text, highlighting) : `<div class="plain">${escaped(text)}</div>`;
  const words = text === "" ? "" : written();
  const time = `<time>${escaped(dateOf(ts))}</time>`;
  return `<article class="${by.toLowerCase()}"><header><b>${by}</b>${marks.join("")} ${time}</header>${thought}${words}</article>\n`;
}

function card({ title, status, text, body = [] }: Of<"card">, said: Said): string {
  const state = status === "error" ? "error" : status === "done" ? "done" : "running";
  const open = body.some(({ display }) => display === "diff") ? " open" : "";
  const inner = body.map((part) => drawing(part, said)).join("");
  return `<details class="card ${state}"${open}><summary><code>${escaped(visibleBreaks(title))}</code></summary>${output(text)}${inner}</details>\n`;
}

function output(text: string): string {
  if (text === "") return "";
  const lines = text.split("\n");
  if (lines.length <= SHOWN_LINES * 1.5) return `<pre>${escaped(text)}</pre>`;
  const [first, rest] = [lines.slice(0, SHOWN_LINES), lines.slice(SHOWN_LINES)];
  const more = `<details class="more"><summary>${rest.length} more lines</summary><pre>${escaped(rest.join("\n"))}</pre></details>`;
  return `<pre>${escaped(first.join("\n"))}</pre>${more}`;
}

function diff({ path, text }: Of<"diff">): string {
  const lines = text.split("\n").map((line) => `<span class="${kindOf(line)}">${escaped(line)}</span>`);
  return `<figure class="diff"><figcaption>${escaped(path)}</figcaption><pre>${lines.join("\n")}</pre></figure>\n`;
}

function kindOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "place";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
}

function list({ title, items }: Of<"list">): string {
  const rows = items.map(({ text, state }) => {
    const known = state === "done" || state === "active" ? state : "open";
    return `<li class="${known}">${escaped(text)}</li>`;
  });
  return `<section class="list">${title === undefined ? "" : `<b>${escaped(title)}</b>`}<ul>${rows.join("")}</ul></section>\n`;
}
