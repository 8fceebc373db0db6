/** What one run of the command was asked for, as far as layers go. */
export interface Asked {
  /** Name or path. */
  preset: string;
  /** Who names it, for messages. */
  by: string;
  /** Canonical. */
  cwd: string;
  /** The project of `cwd` may be read in this run. */
  trust: boolean;
  /** Says something to the user, once however often it is called with it. */
  notify(notice: string): void;
  /** Awaited before the code of an extension runs. */
  beforeExtensions?(): Promise<void>;
}
