import { existsSync, readFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };

/** The help of `scorel`, of each noun and of each `noun action`, made when the command was built. */
type HelpTable = Record<string, string>;

/** Runs the command and ends the process. What needs no plugin is answered without loading one. */
export async function main(argv: readonly string[], helpTable: URL): Promise<void> {
  const options = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  if (options.includes("--version") || options.includes("-v")) {
    return tell(`${manifest.version}\n`);
  }
  const help = options.includes("--help") || options.includes("-h") ? await readHelp(options, helpTable) : undefined;
  if (help !== undefined) return tell(help);
  const { launch } = await import("./launch.ts");
  await launch(argv, manifest.version);
}

/** A reader that went away has what it wanted; anything else that keeps the words back is a failure. */
function tell(text: string): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    process.stderr.write(`The output could not be written: ${error.message}\n`);
  });
  process.stdout.write(text);
}

/**
 * The help that the command line asks for. A command that is not in the table, or whose noun an extension adds to, is left
 * to its own plugin.
 */
async function readHelp(options: readonly string[], file: URL): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const table = JSON.parse(readFileSync(file, "utf8")) as HelpTable;
  const noun = options.find((word) => Object.hasOwn(table, word));
  const action = options.find((word) => Object.hasOwn(table, `${noun} ${word}`));
  const { readOwnCommands, withOwnCommands } = await import("@scorel/extensions/noted-commands");
  const own = readOwnCommands();
  if (own.some((command) => command.noun === noun)) return undefined;
  if (noun !== undefined) return table[action === undefined ? noun : `${noun} ${action}`];
  // A word that may be the value of the option before it names no command.
  const named = options.some((word, index) => !word.startsWith("-") && !options[index - 1]?.startsWith("-"));
  return named ? undefined : await withOwnCommands(table[""] ?? "", own);
}
