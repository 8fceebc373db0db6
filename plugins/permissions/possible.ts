/** A command that a script runs or may run. Its words may hold gaps: text that is only known when it runs. */
export interface Possible {
  words: readonly string[];
  assignments: readonly string[];
  redirects: readonly string[];
  /** It runs when the script gets there; otherwise it is one way to read the script. */
  sure: boolean;
  /** Any word may be the first of a command. */
  anywhere: boolean;
}
/** What running a script may come to. */
export interface Outlook {
  commands: Possible[];
  /** Why it may also come to something else. */
  unsure: string[];
}

/** A command with nothing around it. */
export function possible(words: readonly string[]): Possible {
  return { words, assignments: [], redirects: [], sure: true, anywhere: false };
}
