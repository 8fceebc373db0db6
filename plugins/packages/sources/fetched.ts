import type { PackageSource } from "../contract.ts";

/** The environment and the interrupt signal of the command that fetches a package. */
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
