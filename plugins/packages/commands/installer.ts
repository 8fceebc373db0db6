import type { PackageStore } from "../contract.ts";

/** The store that a command works on, with the words of its messages. */
export interface Installer {
  store: PackageStore;
  noun: "preset" | "extension";
  /** The noun of the command: `scorel plugin add`. */
  command: "preset" | "plugin";
  /** What to do with an installed package. */
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
