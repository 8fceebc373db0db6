import type { CliCommand } from "@scorel/cli/contract";
import type { PresetStore } from "../contract.ts";

const yes = { flags: "--yes", description: "Do not ask" };

/** `scorel preset add|update|remove|diff`. */
export function packageCommands(store: PresetStore): CliCommand[] {
  return [
    {
      noun: "preset",
      action: "add",
      args: "<source>",
      description:
        "Show what a preset would run and set, and install it; from a folder, tarball, git checkout or npm:name@version",
      options: [{ flags: "--name <name>", description: "What to call it (default: its own name)" }, yes],
      run: async (invocation) => (await import("./add.ts")).add(store, invocation),
    },
    {
      noun: "preset",
      action: "update",
      args: "<name> [source]",
      description:
        "Show what would change in an installed preset, and install it anew; from where it came, or from another source",
      options: [yes],
      run: async (invocation) => (await import("./add.ts")).update(store, invocation),
    },
    {
      noun: "preset",
      action: "remove",
      args: "<name>",
      description: "Remove an installed preset",
      run: async (invocation) => (await import("./installed.ts")).remove(store, invocation),
    },
    {
      noun: "preset",
      action: "diff",
      args: "<name>",
      description: "Show what differs from what was installed; exits 1 when something does",
      run: async (invocation) => (await import("./installed.ts")).diff(store, invocation),
    },
  ];
}
