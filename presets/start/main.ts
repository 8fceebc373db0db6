import { existsSync, readFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };

/** The help texts of `scorel`, of each noun and of each `noun action`, written by the build. */
type HelpTable = Record<string, string>;

/** Runs the command and ends the process. `--version` and `--help` load no plugin. */
export async function main(argv: readonly string[], helpTable: URL): Promise<void> {
  const options = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  if (options.includes("--version") || options.includes("-v")) {
    return print(`${manifest.version}\n`);
  }
  const isAsked = options.includes("--help") || options.includes("-h");
  const named = isHelpCommand(options) ? options.slice(1) : isAsked ? options : undefined;
  const help = named && (await readHelp(named, helpTable));
  if (help !== undefined) return print(await fitting(help));
  const { launch } = await import("./launch.ts");
  await launch(argv, manifest.version);
}

/** Whether the words are `help [command] [action]`; any other `help` is left to the command itself. */
function isHelpCommand(words: readonly string[]): boolean {
  return words[0] === "help" && words.length <= 3 && !words.some((word) => word.startsWith("-"));
}

/** Wraps a help text at words for the width of the terminal. */
async function fitting(help: string): Promise<string> {
  if (!process.stdout.isTTY) return help;
  const [{ rowsOfWidth }, { columnsOf }] = await Promise.all([
    import("@scorel/kit/text/table-rows"),
    import("@scorel/kit/terminal/size"),
  ]);
  return rowsOfWidth(help, columnsOf(process.stdout));
}

/** Prints a text to stdout. A closed pipe (EPIPE) is not an error; any other failure sets exit code 1. */
function print(text: string): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    process.stderr.write(`The output could not be written: ${error.message}\n`);
  });
  process.stdout.write(text);
}

/**
 * The help that the command line requests. Undefined for a command that is not in the table, or if an extension adds commands or options to
 * its noun: plugins then have to be loaded to print the help.
 */
async function readHelp(words: readonly string[], file: URL): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const table = JSON.parse(readFileSync(file, "utf8")) as HelpTable;
  const [first = "-"] = words;
  if (!first.startsWith("-") && !Object.hasOwn(table, first)) return undefined;
  const noun = words.find((word) => Object.hasOwn(table, word));
  const action = words.find((word) => Object.hasOwn(table, `${noun} ${word}`));
  const { readOwnCommands, withOwnCommands } = await import("@scorel/extensions/noted-commands");
  const own = readOwnCommands();
  // Options without a noun belong to all commands that open a session, which this one may do.
  if (noun !== undefined && own.some((each) => each.noun === noun || each.noun === "")) return undefined;
  if (noun !== undefined) return table[action === undefined ? noun : `${noun} ${action}`];
  // A word after an option may be the option's value, so it does not count as a command.
  const named = words.some((word, index) => !word.startsWith("-") && !words[index - 1]?.startsWith("-"));
  return named ? undefined : await withOwnCommands(table[""] ?? "", own);
}
