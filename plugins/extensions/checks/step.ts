/** The extension to check. */
export interface Target {
  id: string;
  /** The file that is loaded first. */
  file: string;
  /** The folder of the extension; absent when the extension is a single file. */
  folder?: string;
}

/** The result of one step of the check. */
export interface Step {
  name: string;
  problems: string[];
  /** What was checked, or why the step was skipped. */
  note: string;
  skipped?: true;
}
