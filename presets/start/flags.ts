import type { CliOption } from "@scorel/cli/contract";
import { errors } from "../errors.ts";

/** Options of every command, which the loader reads before it knows the command. */
export const globalOptions: readonly CliOption[] = [
  { flags: "--preset <name|path>", description: "The preset to load (default: coding)", completes: "preset" },
  { flags: "--model <provider/id>", description: "The model of this run", completes: "model" },
  { flags: "--cwd <dir>", description: "The directory to work in" },
  { flags: "--trust", description: "Read this project's .scorel folder and the preset's path in this run" },
  { flags: "--allow-write <dir>", description: "Let Write and Edit also change files in here", repeatable: true },
  { flags: "--verbose", description: "Show where errors come from" },
];

/** The options that the loader needs before it loads a plugin. */
export interface Flags {
  preset?: string;
  cwd?: string;
  trust: boolean;
  verbose: boolean;
  /** With `--print`: the run asks no questions. */
  print?: boolean;
  /** Load only what `scorel doctor` needs, so that it runs when other commands fail. */
  rescue?: boolean;
}

/**
 * Reads the loader's own options, up to `--`. The command parses the whole command line later and reports mistakes in it.
 */
export function readFlags(argv: readonly string[]): Flags {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const preset = flagValue(words, "--preset");
  const cwd = flagValue(words, "--cwd");
  return {
    ...(preset !== undefined && { preset }),
    ...(cwd !== undefined && { cwd }),
    trust: words.includes("--trust"),
    verbose: words.includes("--verbose"),
    print: words.some((word) => /^(?:-p|--print)(?:=|$)/.test(word)),
    ...(nounOf(words) === "doctor" && { rescue: true }),
  };
}

/** The first word that is not an option, if only options of every command precede it. */
function nounOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word, index) => !word.startsWith("-") && !takesValue(words[index - 1]));
  const before = words.slice(0, Math.max(0, at)).filter((word) => word.startsWith("-"));
  return before.every((word) => globalOptions.some(({ flags }) => isFlag(flags, word))) ? words[at] : undefined;
}

function takesValue(word: string | undefined): boolean {
  return globalOptions.some(({ flags }) => flags.includes("<") && flags.startsWith(`${word} `));
}

function isFlag(flags: string, word: string): boolean {
  return flags.split(" ", 1)[0] === word.split("=", 1)[0];
}

/** The value of a flag; if it is repeated, the last value, as in the commands' own parser. */
function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  if (word === undefined) return undefined;
  const value = word === flag ? words[at + 1] : word.slice(flag.length + 1);
  if (value === undefined || value === "" || value.startsWith("--")) throw errors.CONFIG_FLAG({ flag });
  return value;
}
