/** A command that a script runs or may run. Its words may contain gaps: text that is only known at run time. */
export interface Possible {
  words: readonly string[];
  assignments: readonly string[];
  redirects: readonly string[];
  /** True when the command certainly runs; false when it is only one way to read the script. */
  sure: boolean;
  /** Whether any of the words may be the first word of a command. */
  anywhere: boolean;
}
/** Everything that running a script may do. */
export interface ScriptAnalysis {
  commands: Possible[];
  /** Reasons why the script may also do other things. */
  unsure: string[];
}

/** A plain command without assignments or redirections. */
export function possible(words: readonly string[]): Possible {
  return { words, assignments: [], redirects: [], sure: true, anywhere: false };
}
