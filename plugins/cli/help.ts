import { type SizedStream, widthIn } from "@scorel/kit/terminal/size";
import { rowsOfWidth } from "@scorel/kit/text/table-rows";
import type { CliCommand, CliOption, Launch } from "./contract.ts";

type Facts = Pick<Launch, "version" | "globalOptions">;

/** Prepares help text for printing. For a terminal, its lines are broken between words. */
export function printable(text: string, stdout: SizedStream): string {
  const width = widthIn(stdout);
  return width === undefined ? text : rowsOfWidth(text, width);
}

/** Returns a command's name as it is typed. */
export function nameOf({ noun, action }: Pick<CliCommand, "noun" | "action">): string {
  return ["scorel", noun, action].filter(Boolean).join(" ");
}

/**
 * Returns the help for everything, a noun, or a command. An unknown action shows the noun's help. The help for everything has a row for
 * each noun, and with `all` one for each of its actions.
 */
export function helpText(
  commands: readonly CliCommand[],
  { version, globalOptions }: Facts,
  noun = "",
  action?: string,
  all = false,
): string {
  const shown = commandsShown(commands, noun, action);
  const [only] = shown.length === 1 && noun !== "" ? shown : [];
  return [
    only ? nameOf(only) : noun === "" ? `scorel ${version}` : `scorel ${noun}`,
    only?.description ?? "",
    section("Usage", shown.length > 1 ? described(shown) : shown.map(usageOf)),
    ...shown.map((command) =>
      section(
        shown.length > 1 ? `Options of ${nameOf(command)}` : "Options",
        optionRows(oftenUsedFirst(command.options)),
      ),
    ),
    section("Commands", noun === "" ? columns(grouped(commands).flatMap(all ? eachAction : nounRow)) : []),
    section("Options of every command", optionRows([...globalOptions, ...universalOptions])),
  ]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}

function commandsShown(commands: readonly CliCommand[], noun: string, action: string | undefined): CliCommand[] {
  const ofNoun = commands.filter((command) => command.noun === noun);
  const exact = action === undefined ? undefined : ofNoun.find((command) => command.action === action);
  return exact ? [exact] : ofNoun;
}

/** Groups the named commands by noun in alphabetical order, since several plugins may share a noun. */
function grouped(commands: readonly CliCommand[]): CliCommand[][] {
  const nouns = [...new Set(commands.map(({ noun }) => noun).filter(Boolean))].sort();
  return nouns.map((noun) => commands.filter((command) => command.noun === noun));
}

function eachAction(commands: readonly CliCommand[]): Row[] {
  return commands.map((command) => [usageOf(command).slice("scorel ".length), command.description]);
}

/** Names the actions of a noun. A noun with one command is described by it. */
function nounRow(commands: readonly CliCommand[]): Row[] {
  const [only, another] = commands;
  if (only === undefined || another === undefined) return eachAction(commands);
  const bare = commands.find(({ action }) => action === undefined);
  const actions = commands.flatMap(({ action }) => action ?? []).join(", ");
  return [[only.noun, bare ? `${bare.description}; or: ${actions}` : actions]];
}

function described(commands: readonly CliCommand[]): string[] {
  return columns(commands.map((command) => [usageOf(command), command.description]));
}

/** Options that are handled before any command is looked up. */
export const universalOptions: readonly CliOption[] = [
  { flags: "-h, --help", description: "Show this help; `scorel <command> --help` describes a command and its actions" },
  { flags: "-v, --version", description: "Show the version" },
];

function usageOf(command: CliCommand): string {
  const options = command.noun === "" && command.options?.length ? "[options]" : "";
  return [nameOf(command), command.args, options].filter(Boolean).join(" ");
}

function section(title: string, rows: readonly string[]): string {
  return rows.length === 0 ? "" : [`${title}:`, ...rows.map((row) => `  ${row}`)].join("\n");
}

/** Sorts options with a short form first, since they are used most. */
function oftenUsedFirst(options: readonly CliOption[] = []): CliOption[] {
  const [often, others] = [true, false].map((has) => options.filter(({ flags }) => /^-[a-z],/i.test(flags) === has));
  return [...(often ?? []), ...(others ?? [])];
}

function optionRows(options: readonly CliOption[] = []): string[] {
  return columns(options.map((option) => [option.flags, describe(option)]));
}

function describe({ description, values, default: byDefault, repeatable }: CliOption): string {
  const notes = [
    values?.join(" | "),
    byDefault !== undefined && `default: ${byDefault}`,
    repeatable && "may be repeated",
  ].filter(Boolean);
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

type Row = readonly [left: string, right: string];

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}
