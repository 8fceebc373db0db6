/** `Bash(git status*)` taken apart; without a pattern it is about every call of its tool. */
export interface Rule {
  text: string;
  tool: string;
  pattern?: string;
}

/** Takes a rule apart; undefined for what is none. */
export function parseRule(text: string): Rule | undefined {
  const [, tool, pattern] = /^([\w.*:-]+)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  const open = pattern === undefined || pattern.trim() === "*" || pattern.trim() === "";
  return { text: text.trim(), tool, ...(!open && { pattern: (pattern as string).trim() }) };
}

/**
 * All that a rule of the configuration means. Commands are compared in one spelling, so that `"a b"`, `\\;` and `>file` count as
 * `'a b'`, `';'` and `> file`, too. Claude Code writes `Bash(rm:*)` for `rm` alone and with any words: it counts as `Bash(rm *)` beside
 * what it says here, so that `Bash(npm run test:*)` goes on to cover `npm run test:unit`.
 */
export function readRule(text: string): Rule[] {
  const rule = parseRule(text);
  if (!rule) return [];
  if (rule.pattern === undefined || !isForCommands(rule)) return [rule];
  const prefix = PREFIX.exec(rule.pattern)?.[1];
  const patterns = [rule.pattern, ...(prefix === undefined ? [] : [`${prefix} *`])];
  return [...new Set(patterns.flatMap((pattern) => [pattern, respelled(pattern)]))].map((pattern) => ({
    ...rule,
    pattern,
  }));
}

const PREFIX = /^([\s\S]*\S)\s*:\*$/;

/** The pattern in the spelling that commands are compared in, as far as the shell's quotes can be told in it. */
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

/** Why a rule can never match a call, as its text shows; undefined when it may match one. */
export function faultOf(text: string): string | undefined {
  const rule = parseRule(text);
  if (!rule) return 'it must be a tool with or without a pattern, as in "Bash(git status*)"';
  const { pattern } = rule;
  if (pattern === undefined || !isForCommands(rule)) return undefined;
  if (pattern === ":*")
    return 'before ":*" stands how a command begins, as in "Bash(rm:*)"; for every command, write "Bash"';
  if (/^[^\s'"]+:\*[\s\S]/.test(pattern)) return '":*" stands at the end only, as in "Bash(git push:*)"';
  const open = withoutQuotes(pattern);
  if (/['"`]/.test(open)) return undefined;
  const operator = /&&|\|\||(?<!>)\||;|\n/.exec(open)?.[0];
  if (operator !== undefined)
    return `each command that a line joins by ${JSON.stringify(operator)} needs a rule of its own`;
  return /\s{2}|\t/.test(open) ? "commands are compared with one blank between their words" : undefined;
}

/** What of a pattern is neither quoted nor inside a substitution. */
function withoutQuotes(pattern: string): string {
  let text = pattern.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|`[^`]*`|\$\{[^}]*\}/g, "x");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, "x");
  }
  return text;
}
