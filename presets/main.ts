import { existsSync, readFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };

/** `scorel --help` and `scorel <noun> --help`, made when the command was built. */
type HelpTable = Record<string, string>;

/** Runs the command and ends the process. What needs no plugin is answered without loading one. */
export async function main(argv: readonly string[], helpTable: URL): Promise<void> {
  const options = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  if (options.includes("--version") || options.includes("-v")) {
    process.stdout.write(`${manifest.version}\n`);
    return;
  }
  const help = options.includes("--help") || options.includes("-h") ? readHelp(options, helpTable) : undefined;
  if (help !== undefined) {
    process.stdout.write(help);
    return;
  }
  const { launch } = await import("./launch.ts");
  await launch(argv, manifest.version);
}

/** The help that the command line asks for; of a command that is not in the table, its own plugin has to tell. */
function readHelp(options: readonly string[], file: URL): string | undefined {
  if (!existsSync(file)) return undefined;
  const table = JSON.parse(readFileSync(file, "utf8")) as HelpTable;
  const noun = options.find((word) => Object.hasOwn(table, word));
  if (noun !== undefined) return table[noun];
  // A word that may be the value of the option before it names no command.
  const named = options.some((word, index) => !word.startsWith("-") && !options[index - 1]?.startsWith("-"));
  return named ? undefined : table[""];
}
