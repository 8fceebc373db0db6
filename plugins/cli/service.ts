import type { Collected } from "@scorel/kernel";
import type { CliCommand, CliService, Launch } from "./contract.ts";
import { errors } from "./errors.ts";
import { helpText, nameOf } from "./help.ts";
import { readOption } from "./option.ts";

/** Runs command lines with the commands that plugins contribute at that moment. */
export function createCli(launch: Launch, collect: () => Collected<CliCommand[]>[]): CliService {
  return {
    help: (noun, action) => helpText(commandsOf(collect()), launch, noun, action),
    async run(argv) {
      const { exitCodeOf, printError } = await import("./exit-code.ts");
      try {
        return await execute(argv, commandsOf(collect()), launch);
      } catch (thrown) {
        printError(thrown, launch.stderr, argv.includes("--verbose"));
        return exitCodeOf(thrown);
      }
    },
  };
}

async function execute(argv: readonly string[], commands: readonly CliCommand[], launch: Launch): Promise<number> {
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  if (words.includes("--help") || words.includes("-h")) {
    const noun = words.find((word) => commands.some((command) => command.noun === word));
    const action = words.find((word) => commands.some((command) => command.noun === noun && command.action === word));
    launch.stdout.write(helpText(commands, launch, noun, action));
    return 0;
  }
  const { parseCommandLine } = await import("./parser.ts");
  const { command, args, options } = parseCommandLine(argv, commands, launch.globalOptions.map(readOption));
  const { version: _version, globalOptions: _globalOptions, ...streams } = launch;
  return await command.run({ ...streams, args, options });
}

/** Finds, one plugin after the other, what is no list of commands or brings one that is there: it is left out, the rest runs. */
export function createCheck(): (value: unknown, plugin: string) => void {
  const owners = new Map<string, string>();
  return (value, plugin) => {
    if (!Array.isArray(value) || !value.every(isCommand)) throw errors.CLI_COMMANDS();
    const names = (value as CliCommand[]).map(nameOf);
    const command = names.find((name) => owners.has(name));
    if (command !== undefined)
      throw errors.CLI_DUPLICATE_COMMAND({ command, plugin, owner: owners.get(command) as string });
    for (const name of names) owners.set(name, plugin);
  };
}

function isCommand(value: unknown): boolean {
  const { noun, run } = Object(value) as { noun?: unknown; run?: unknown };
  return typeof noun === "string" && typeof run === "function";
}

/** In the order of the plugins; two commands of one name are a mistake that names both plugins. */
export function commandsOf(collected: readonly Collected<CliCommand[]>[]): CliCommand[] {
  const owners = new Map<string, string>();
  return collected.flatMap(({ plugin, value }) => {
    for (const command of value) {
      const name = nameOf(command);
      const owner = owners.get(name);
      if (owner !== undefined) throw errors.CLI_DUPLICATE_COMMAND({ command: name, plugin, owner });
      owners.set(name, plugin);
    }
    return value;
  });
}
