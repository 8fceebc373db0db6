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
