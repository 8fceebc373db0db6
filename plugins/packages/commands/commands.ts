import type { CliCommand, Invocation } from "@scorel/cli/contract";
import type { PackageStore } from "../contract.ts";
import { extensionInstaller, type Installer, presetInstaller } from "./installer.ts";

/** `signal` aborts when the process is about to end; `running` holds the commands that the process waits for. */
export interface Ending {
  signal: AbortSignal;
  running: Set<Promise<unknown>>;
}

const yes = { flags: "--yes", description: "Do not ask" };

const SOURCES =
  "from a folder, tarball, git checkout, npm:name@version, git+https://host/repository or git@host:repository";

/** `scorel preset add|update|remove|diff`. */
export function presetCommands(store: PackageStore, ending: Ending): CliCommand[] {
  const installer = presetInstaller(store);
  return [
    {
      noun: "preset",
      action: "add",
      args: "<source>",
      description: `Show what a preset would run and set, and install it; ${SOURCES}`,
      options: [{ flags: "--name <name>", description: "Its name (default: that of the package)" }, yes],
      run: (invocation) =>
        interruptedByEnd(ending, invocation, async (given) => (await import("./add.ts")).add(installer, given)),
    },
    {
      noun: "preset",
      action: "update",
      args: "[name] [source]",
      description:
        "Show what would change in an installed preset, and install it again, from its own or another source; without a name, all of them",
      options: [yes],
      run: (invocation) =>
        interruptedByEnd(ending, invocation, async (given) => (await import("./add.ts")).update(installer, given)),
    },
    ...laterCommands(installer),
  ];
}

/** `scorel plugin add|update|remove|diff`. */
export function extensionCommands(store: PackageStore, ending: Ending): CliCommand[] {
  const installer = extensionInstaller(store);
  return [
    {
      noun: "plugin",
      action: "add",
      args: "<source>",
      description: `Show what an extension would run, and install it for this user; ${SOURCES}`,
      options: [{ flags: "--global", description: "For all projects of this user, which is the default" }, yes],
      run: (invocation) =>
        interruptedByEnd(ending, invocation, async (given) => (await import("./add.ts")).add(installer, given)),
    },
    {
      noun: "plugin",
      action: "update",
      args: "[name] [source]",
      description:
        "Show what would change in an installed extension, and install it again; without a name, all of them",
      options: [yes],
      run: (invocation) =>
        interruptedByEnd(ending, invocation, async (given) => (await import("./add.ts")).update(installer, given)),
    },
    ...laterCommands(installer),
  ];
}

/** Runs a command that is interrupted, as by Ctrl-C, when the process is about to end. */
async function interruptedByEnd(
  { signal, running }: Ending,
  invocation: Invocation,
  work: (invocation: Invocation) => Promise<number>,
): Promise<number> {
  const ended = work({ ...invocation, interrupt: AbortSignal.any([invocation.interrupt, signal]) });
  running.add(ended);
  return ended.finally(() => running.delete(ended));
}

function laterCommands(installer: Installer): CliCommand[] {
  const { noun, command } = installer;
  return [
    {
      noun: command,
      action: "remove",
      args: "<name>",
      description: `Remove an installed ${noun}`,
      run: async (invocation) => (await import("./installed.ts")).remove(installer, invocation),
    },
    {
      noun: command,
      action: "diff",
      args: "<name>",
      description: "Show what differs from what was installed; exits 1 when something does",
      run: async (invocation) => (await import("./installed.ts")).diff(installer, invocation),
    },
  ];
}
