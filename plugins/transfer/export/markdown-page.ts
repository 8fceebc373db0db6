import type { DisplayAction, Session } from "@scorel/kernel";
import { fenced } from "@scorel/kit/text/fence";
import { visibleBreaks } from "@scorel/kit/text/one-line";
import type { Redact } from "./redaction.ts";
import { dateOf, factsOf, type Shown, shownIn } from "./shown.ts";

const WHO = { user: "User", assistant: "Assistant", system: "System" };
const STATE = { open: "[ ]", active: "[~]", done: "[x]" };

/** Renders a conversation as Markdown, with its facts as front matter. */
export async function* markdownPage(session: Session, redact: Redact): AsyncGenerator<string> {
  const { id, title, models, created, updated } = await factsOf(session, redact);
  const front = { id, title, model: models.join(", "), created, updated };
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  yield `---\n${lines.join("")}---\n\n# ${oneLine(title)}\n`;
  for await (const shown of shownIn(session, redact)) yield part(shown);
}

function part({ display, images, ts }: Shown): string {
  const pictures = images.map(
    ({ mimeType, data }) => `\n*An image (${mimeType}, ${data.length} characters of base64).*\n`,
  );
  return `\n${drawn(display, ts)}${pictures.join("")}`;
}

function drawn(action: DisplayAction, ts: number): string {
  switch (action.display) {
    case "bubble": {
      const label = action.label === undefined ? "" : `, ${oneLine(action.label)}`;
      const thought = action.thinking ? `${quoted(action.thinking)}\n` : "";
      return `## ${WHO[action.role]}${label}\n\n*${dateOf(ts)}*\n\n${thought}${action.text}\n`;
    }
    case "card":
      return `### ${visibleBreaks(action.title)}${action.status === "done" ? "" : ` (${action.status})`}\n\n${block(action.text)}${(action.body ?? []).map((inner) => drawn(inner, ts)).join("\n")}`;
    case "fold":
      return `### ${oneLine(action.title)}\n\n${action.text}\n`;
    case "diff":
      return `${oneLine(action.path)}:\n\n${block(action.text, "diff")}`;
    case "list": {
      const title = action.title === undefined ? "" : `${oneLine(action.title)}:\n\n`;
      const items = action.items.map(({ text, state }) => `- ${state ? `${STATE[state]} ` : ""}${oneLine(text)}\n`);
      return `${title}${items.join("")}`;
    }
    case "hidden":
      return "";
    default:
      return quoted(action.text);
  }
}

function quoted(text: string): string {
  return `${text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")}\n`;
}

/** Returns a code block; "" without a text. */
function block(text: string, language = ""): string {
  return text === "" ? "" : `${fenced(text, language)}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
