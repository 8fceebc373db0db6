/** An extension as the loader would take it. */
export interface Target {
  id: string;
  /** The file that is loaded first. */
  file: string;
  /** The folder that is the extension, unless a file alone is it. */
  folder?: string;
}

/** What one step found; one that was not done says why not. */
export interface Step {
  name: string;
  problems: string[];
  /** What was looked at, or why nothing was. */
  note: string;
  skipped?: true;
}
