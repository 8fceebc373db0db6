import type { PresetSource } from "../contract.ts";

/** What a fetch needs of the command that asked for it. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  interrupt: AbortSignal;
}

/** A preset's files, in a folder of the staging. */
export interface Fetched {
  folder: string;
  source: PresetSource;
  /** What it is called where it comes from. */
  name: string;
  /** What the user should know of how it was read. */
  notes: string[];
}
