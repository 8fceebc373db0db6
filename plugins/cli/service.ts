import type { CliCommand, CliService, CompletionSource, FolderOption, Launch } from "./contract.ts";
import { errors } from "./errors.ts";
import { withFolderOptions } from "./folder-options.ts";
import { helpText, nameOf, printable } from "./help.ts";
import { withLatest } from "./latest.ts";
import { readOption } from "./option.ts";
import { withShortJson } from "./short-json.ts";

/** The commands, options and folder options that plugins contribute to the command line. */
interface Contributed {
  commands: { plugin: string; value: CliCommand[] }[];
  folders: { value: FolderOption[] }[];
  /** The sources of values for completion, one of which may know the latest value of a kind. */
  sources(): Promise<readonly CompletionSource[]>;
}

/** Creates the service `cli`, which uses the commands that plugins contribute at the time of each call. */
export function createCli(launch: Launch, collect: () => Contributed): CliService {
  return {
    help: (noun, action) => helpText(commandsOf(collect()), launch, noun, action),
    async run(argv) {
      const { exitCodeOf, printError } = await import("./exit-code.ts");
      try {
        return await execute(argv, collect(), launch);
      } catch (thrown) {
        printError(thrown, launch.stderr, argv.includes("--verbose"));
        return exitCodeOf(thrown);
      }
    },
  };
}

async function execute(argv: readonly string[], collected: Contributed, launch: Launch): Promise<number> {
  const commands = commandsOf(collected);
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  if (words.includes("--help") || words.includes("-h")) {
    const noun = words.find((word) => commands.some((command) => command.noun === word));
    const action = words.find((word) => commands.some((command) => command.noun === noun && command.action === word));
    launch.stdout.write(printable(helpText(commands, launch, noun, action), launch.stdout));
    return 0;
  }
  const { parseCommandLine } = await import("./parser.ts");
  const { command, args, options } = parseCommandLine(
    argv,
    commands,
    launch.globalOptions.map(readOption),
    launch.failedExtensions,
  );
  if (command.usesProject === false) launch.leaveProjectUnused();
  const { version: _version, globalOptions: _globalOptions, failedExtensions: _failed, ...streams } = launch;
  const invocation = await withLatest({ ...streams, args, options }, command, collected.sources);
  const code: unknown = await command.run(invocation);
  if (isExitCode(code)) return code ?? 0;
  const name = nameOf(command);
  const plugin = collected.commands.find(({ value }) => value.some((each) => nameOf(each) === name))?.plugin ?? "?";
  throw errors.CLI_EXIT_CODE({ command: name, plugin, returned: describe(code) });
}

/** Whether a value is an exit code. Undefined is one, too: a command that returns nothing has succeeded. */
function isExitCode(code: unknown): code is number | undefined {
  return code === undefined || (Number.isInteger(code) && (code as number) >= 0 && (code as number) <= 255);
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** Creates a validator for contributed commands. Invalid or duplicate ones are reported and left out. */
export function createCheck(
  tell: (flaw: Error) => void = () => {},
): (value: unknown, plugin: string, report: (flaw: unknown) => void) => CliCommand[] {
  const owners = new Map<string, string>();
  return (value, plugin, report) => {
    if (!Array.isArray(value)) throw errors.CLI_COMMANDS({ plugin });
    return value.filter((command: unknown): command is CliCommand => {
      const flaw = flawOf(command, plugin, owners);
      if (flaw) {
        report(flaw);
        tell(flaw);
      } else owners.set(nameOf(command as CliCommand), plugin);
      return !flaw;
    });
  };
}

function flawOf(value: unknown, plugin: string, owners: ReadonlyMap<string, string>): Error | undefined {
  const { noun, run } = Object(value) as Partial<CliCommand>;
  if (typeof noun !== "string" || typeof run !== "function") return errors.CLI_COMMANDS({ plugin });
  const command = nameOf(value as CliCommand);
  const owner = owners.get(command);
  return owner === undefined ? undefined : errors.CLI_DUPLICATE_COMMAND({ command, plugin, owner });
}

/** Returns all commands, in the order of the plugins. */
export function commandsOf({ commands, folders }: Pick<Contributed, "commands" | "folders">): CliCommand[] {
  const options = folders.flatMap(({ value }) => value);
  return commands.flatMap(({ value }) => value.map((command) => withFolderOptions(withShortJson(command), options)));
}
