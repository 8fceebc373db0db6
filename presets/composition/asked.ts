import type { Admission } from "@scorel/trust/loader";
import { createAdmission } from "../layers/admission.ts";

/** The request of one run, from its command line, and what the run has admitted so far. */
export interface Asked {
  /** Name or path. */
  preset: string;
  /** Where the preset was named, for messages: `--preset` or `the default`. */
  by: string;
  /** The working directory, as a canonical path. */
  cwd: string;
  /** `--trust`: the project of `cwd` may be read in this run. */
  trust: boolean;
  /** Whether the command opens a session of `cwd` before anything else. */
  opensSession?: boolean;
  /** The command uses nothing of a project, so that a project without trust makes no difference to it. */
  usesNoProject?: boolean;
  /** Prints a notice to the user; the same text only once. */
  notify(notice: string): void;
  /** Awaited before the code of an extension runs. */
  beforeExtensions?(): Promise<void>;
  /** Folders trusted by `--trust` -> their hashes when this run first read them. */
  readonly granted: Map<string, string>;
  /** Decides which presets may be read, and remembers those that this run has admitted. */
  readonly admission: Admission;
}

/** Completes the request of a run with an empty record of admitted folders and presets. */
export function createAsked(given: Omit<Asked, "granted" | "admission">): Asked {
  return { ...given, granted: new Map(), admission: createAdmission(given.trust) };
}
