import type { Admission } from "@scorel/trust/loader";
import { createAdmission } from "../layers/admission.ts";

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
  /** The hashes of folders as this run first saw them, for `--trust`. */
  readonly granted: Map<string, string>;
  /** Keeps the presets that this run has admitted. */
  readonly admission: Admission;
}

/** A run of the command that has read and admitted nothing yet. */
export function createAsked(given: Omit<Asked, "granted" | "admission">): Asked {
  return { ...given, granted: new Map(), admission: createAdmission(given.trust) };
}
