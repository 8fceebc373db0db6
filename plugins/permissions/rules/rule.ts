/** A parsed rule such as `Bash(git status*)`. Without a pattern it covers every call of its tool. */
export interface Rule {
  text: string;
  tool: string;
  pattern?: string;
}

const FILES = /^(?:Read|Write|Edit)$/;

/** Parses a rule; undefined for invalid text. Blanks around a pattern count for files, which may have such names. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, pattern] = /^([\w.*:-]+)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  const open = pattern === undefined || pattern.trim() === "*" || pattern.trim() === "";
  const named = pattern ?? "";
  return { text: text.trim(), tool, ...(!open && { pattern: FILES.test(tool) ? named : named.trim() }) };
}

/**
 * Parses a configured rule into all rules that it means. Commands are compared in one spelling, so `"a b"`, `\\;` and
 * `>file` also count as `'a b'`, `';'` and `> file`. Claude Code's `Bash(rm:*)` also counts as `Bash(rm *)`; it keeps
 * its literal meaning too, so that `Bash(npm run test:*)` covers `npm run test:unit`. `mcp__tracker` counts for every
 * tool of the MCP server `tracker`.
 */
export function readRule(text: string): Rule[] {
  const rule = parseRule(text);
  if (!rule) return [];
  if (OF_SERVER.test(rule.tool)) return [rule, { ...rule, tool: `${rule.tool}__*` }];
  if (rule.pattern === undefined || !isForCommands(rule)) return [rule];
  const prefix = PREFIX.exec(rule.pattern)?.[1];
  const patterns = [rule.pattern, ...(prefix === undefined ? [] : [`${prefix} *`])];
  return [...new Set(patterns.flatMap((pattern) => [pattern, respelled(pattern)]))].map((pattern) => ({
    ...rule,
    pattern,
  }));
}

/** The name of an MCP server, which stands for all of its tools. Server names never have two underscores in a row. */
const OF_SERVER = /^mcp__[a-z0-9]+(?:[-_][a-z0-9]+)*$/i;

const PREFIX = /^([\s\S]*\S)\s*:\*$/;

/** Rewrites a pattern in the spelling that commands are compared in, as far as its shell quotes can be parsed. */
function respelled(pattern: string): string {
  const spelled = pattern
    .replace(/'[^']*'|"([^"'$`\\]*)"/g, (quoted, inner?: string) =>
      inner === undefined ? quoted : /^[\w@%+=:,./^*-]+$/.test(inner) ? inner : `'${inner}'`,
    )
    .replace(/(?<=\s)(?:\\([;()!|&<>])|(\{\}))(?=\s|$)/g, "'$1$2'")
    .replace(/\s+\d*(?:>&\d+|>{1,2}\s*\/dev\/null)(?=\s|$)/g, "")
    .replace(/(?<=\s\d*)(>{1,2}|<)(?=[\w./~$-])/g, "$1 ");
  return spelled.trim() === "" ? pattern : spelled;
}

function isForCommands({ tool }: Rule): boolean {
  return /^bash$/i.test(tool) || tool.includes("*");
}

/** Explains why a rule can never match a call, judged by its text; undefined when it may match. */
export function faultOf(text: string): string | undefined {
  const rule = parseRule(text);
  if (!rule) return 'it must name a tool, and may have a pattern in parentheses, as in "Bash(git status*)"';
  const { pattern } = rule;
  if (pattern === undefined || !isForCommands(rule)) return undefined;
  if (pattern === ":*")
    return '":*" needs the beginning of a command before it, as in "Bash(rm:*)"; for every command, write "Bash"';
  if (/^[^\s'"]+:\*[\s\S]/.test(pattern)) return '":*" may only be at the end, as in "Bash(git push:*)"';
  const open = withoutQuotes(pattern);
  if (/['"`]/.test(open)) return undefined;
  const operator = /&&|\|\||(?<!>)\||;|\n/.exec(open)?.[0];
  if (operator !== undefined) return `each command that a line joins by ${JSON.stringify(operator)} needs its own rule`;
  return /\s{2}|\t/.test(open) ? "commands are compared with one blank between their words" : undefined;
}

/** Replaces quoted text and substitutions in a pattern with `x`. */
function withoutQuotes(pattern: string): string {
  let text = pattern.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|\$\{[^}]*\}/g, "x");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, "x");
  }
  return text;
}
