import { visiblePath } from "@scorel/kit/text/plain";
import { parseRule } from "./rule.ts";

/**
 * Describes an offered rule for a person. For example, `Bash(npm start)` is described as "`npm start`", and
 * `Bash(npm test *)` as "any `npm test`".
 */
export function inWords(text: string): string {
  const rule = parseRule(text);
  if (!rule) return text;
  const { tool, pattern } = rule;
  if (pattern === undefined) return tool === "Bash" ? "every command" : `every call of ${tool}`;
  const beginning = /^((?:\\.|[^\\*])+) \*$/s.exec(pattern)?.[1];
  if (tool === "Bash" && beginning !== undefined) return `any \`${beginning.replace(/\\([\\*])/g, "$1")}\``;
  const literal = pattern.replace(/\\([\\*])/g, "$1");
  if (tool === "Bash") return `\`${literal}\``;
  if (tool === "Edit" || tool === "Write") return `edits of ${visiblePath(literal)}`;
  if (tool === "Read" && pattern.endsWith("/**")) return `reading everything in ${visiblePath(literal.slice(0, -3))}`;
  if (tool === "Read") return `reading ${visiblePath(literal)}`;
  if (tool === "WebFetch") return `pages of ${visiblePath(literal)}`;
  return `${tool} with "${literal}"`;
}
