/** Words that no shell changes. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./^-]*$/;

/** A word quoted for a shell, if needed. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
