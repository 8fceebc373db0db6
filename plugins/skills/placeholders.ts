/** What stands in a skill's text for something that is known only when it is loaded. */
export interface Values {
  /** The skill's folder, as people see it. */
  folder: string;
  /** What a person wrote behind `/skill:name`. Without it `$1` is left as it is: it may be a line of a shell script. */
  given?: string | undefined;
}

/** The text with `${CLAUDE_SKILL_DIR}` replaced, and, where there are arguments, `$ARGUMENTS` and `$1` to `$9`. */
export function filled(text: string, { folder, given }: Values): string {
  const placed = text.replace(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder);
  if (given === undefined || given === "") return placed;
  const words = wordsOf(given);
  return placed.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, digit?: string) =>
    digit === undefined ? given : (words[Number(digit) - 1] ?? ""),
  );
}

/** As a shell takes them apart: quotes hold a word with blanks together. */
function wordsOf(given: string): string[] {
  const words = given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return Array.from(words, ([, double, single, plain]) => double ?? single ?? plain ?? "");
}
