/** Classifies single lines of Markdown. */

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;

/** Parses the opening fence of a code block; undefined for any other line. */
export function fenceOf(line: string): { indent: number; mark: string; language: string } | undefined {
  const [, indent = "", mark = "", info = ""] = FENCE.exec(line) ?? [];
  if (mark === "" || (mark.startsWith("`") && info.includes("`"))) return undefined;
  return { indent: indent.length, mark, language: info.trim() };
}

/** Whether a line closes the code block whose fence is `mark`. */
export function endsFence(line: string, mark: string): boolean {
  const [, , own = "", rest = ""] = FENCE.exec(line) ?? [];
  return own !== "" && own.startsWith(mark) && rest.trim() === "";
}

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

export function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === " ") indent++;
  return indent;
}

/** Whether a line is a rule: three or more of one of `-`, `*` and `_`. */
export function isRule(line: string): boolean {
  const mark = line.trimStart()[0] ?? "";
  if (!"-*_".includes(mark) || mark === "" || line.startsWith("    ")) return false;
  let count = 0;
  for (const character of line) {
    if (character === mark) count++;
    else if (character !== " ") return false;
  }
  return count >= 3;
}
