import { highlighted } from "@scorel/kit/markdown/highlighted";
import type { Role, Theme } from "../theme/theme.ts";
import type { Coloured } from "./growing-code.ts";

/** The role for each class of highlight.js. */
const ROLES: Readonly<Record<string, Role>> = {
  keyword: "keyword",
  built_in: "name",
  type: "name",
  literal: "number",
  number: "number",
  string: "string",
  regexp: "string",
  comment: "comment",
  doctag: "comment",
  meta: "comment",
  title: "name",
  name: "name",
  attr: "name",
  attribute: "name",
  tag: "keyword",
  section: "heading",
  addition: "added",
  deletion: "removed",
  variable: "text",
  symbol: "number",
  bullet: "accent",
  "selector-class": "name",
  "selector-tag": "keyword",
};
const PARTS = /<span class="hljs-([\w-]+)[^"]*">|<span[^>]*>|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Loads the highlighter for code: a function that returns undefined for an unknown language. */
export async function loadHighlighter(): Promise<
  (theme: Theme) => (code: string, language: string) => Coloured | undefined
> {
  const { default: hljs } = await import("highlight.js/lib/common");
  return (theme) => (code, language) => {
    const found = highlighted(hljs, code, language);
    return found && { lines: colouredLines(found.markup, found.rest, theme), isWhole: found.isWhole };
  };
}

/** The lines of highlighted code, and of the plain rest. */
function colouredLines(html: string, rest: string, theme: Theme): string[] {
  const open: Role[] = [];
  let line = "";
  const lines: string[] = [];
  for (const [whole, name, entity] of html.matchAll(PARTS)) {
    if (whole.startsWith("<span")) open.push(ROLES[name ?? ""] ?? open.at(-1) ?? "text");
    else if (whole === "</span>") open.pop();
    else {
      const role = open.at(-1) ?? "text";
      const [first = "", ...rest] = (entity === undefined ? whole : (ENTITIES[entity] ?? "")).split("\n");
      line += theme.style(role, first);
      for (const next of rest) {
        lines.push(line);
        line = theme.style(role, next);
      }
    }
  }
  const [first = "", ...more] = rest.split("\n").map((each) => theme.style("text", each));
  return [...lines, line + first, ...more];
}
