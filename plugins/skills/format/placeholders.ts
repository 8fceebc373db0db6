/** Values for placeholders in a skill's text. */
export interface Values {
  /** The skill's folder, as shown to people. */
  folder: string;
  /** The text after `/skill:name`. Without it, `$1` stays unchanged, since it may belong to a shell script. */
  given?: string | undefined;
}

/** Replaces `${CLAUDE_SKILL_DIR}` and, if there are arguments, `$ARGUMENTS` and `$1` to `$9`. */
export function filled(text: string, { folder, given }: Values): string {
  const placed = text.replace(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder);
  if (given === undefined || given === "") return placed;
  const words = wordsOf(given);
  return placed.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, digit?: string) =>
    digit === undefined ? given : (words[Number(digit) - 1] ?? ""),
  );
}

/** Splits arguments like a shell: quotes keep blanks together. */
function wordsOf(given: string): string[] {
  const words = given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return Array.from(words, ([, double, single, plain]) => double ?? single ?? plain ?? "");
}
