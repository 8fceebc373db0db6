import type { PresetSource } from "../contract.ts";

/** What a fetch needs to know about the command that started it. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  interrupt: AbortSignal;
}

/** A preset's files, in a staging folder. */
export interface Fetched {
  folder: string;
  source: PresetSource;
  /** The preset's name at its source. */
  name: string;
  /** Notices for the user about how it was read. */
  notes: string[];
}
