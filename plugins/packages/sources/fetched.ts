import type { PackageSource } from "../contract.ts";

/** What a fetch gets from the command that started it. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  interrupt: AbortSignal;
}

/** A package's files, in a staging folder. */
export interface Fetched {
  folder: string;
  source: PackageSource;
  /** The package's name at its source. */
  name: string;
  /** Notices for the user about how the package was read. */
  notes: string[];
}
