import type { Kernel } from "@scorel/kernel";
import type { Operations, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";

/** What a slash command does, whichever of the two names its author gave the function. */
type Run = (args: string, context: SlashContext) => ReturnType<NonNullable<SlashCommand["run"]>>;

/** The slash commands that the plugins of a session contribute; of two with one name the later plugin's counts. */
export function listCommands(kernel: Kernel): Operations["list_commands"]["result"]["commands"] {
  const rows = commandsOf(kernel).map(({ plugin, name, command }) => ({
    name,
    description: command.description ?? "",
    plugin,
  }));
  return [...new Map(rows.map((row) => [row.name, row])).values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The function of a command; throws HOST_COMMAND_UNKNOWN and HOST_COMMAND_INVALID. */
export function findCommand(kernel: Kernel, name: string): Run {
  const found = commandsOf(kernel).findLast((row) => row.name === name);
  if (!found) throw errors.HOST_COMMAND_UNKNOWN({ name, known: listCommands(kernel).map((row) => row.name) });
  const { command, plugin } = found;
  const run = command.run ?? command.handler;
  if (typeof run !== "function") throw errors.HOST_COMMAND_INVALID({ name, plugin });
  return run.bind(command);
}

function commandsOf(kernel: Kernel): { plugin: string; name: string; command: SlashCommand }[] {
  return kernel
    .collect("commands")
    .flatMap(({ plugin, value }) => Object.entries(value).map(([name, command]) => ({ plugin, name, command })));
}
