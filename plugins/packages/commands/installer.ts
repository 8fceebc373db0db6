import type { PackageStore } from "../contract.ts";

/** The store that a command works on, and the words for its messages. */
export interface Installer {
  store: PackageStore;
  noun: "preset" | "extension";
  /** The noun of the command: `scorel plugin add`. */
  command: "preset" | "plugin";
  /** A sentence on how to use an installed package. */
  toUse(name: string): string;
}

export const presetInstaller = (store: PackageStore): Installer => ({
  store,
  noun: "preset",
  command: "preset",
  toUse: (name) => `To use it: scorel --preset ${name}`,
});

export const extensionInstaller = (store: PackageStore): Installer => ({
  store,
  noun: "extension",
  command: "plugin",
  toUse: () => "Each new session has it.",
});
