import type { CliCommand, CliOption, Launch } from "./contract.ts";

type Facts = Pick<Launch, "version" | "globalOptions">;

/** The name of a command as it is typed. */
export function nameOf({ noun, action }: Pick<CliCommand, "noun" | "action">): string {
  return ["scorel", noun, action].filter(Boolean).join(" ");
}

/** The whole help, or that of one noun. */
export function helpText(commands: readonly CliCommand[], { version, globalOptions }: Facts, noun = ""): string {
  const shown = commands.filter((command) => command.noun === noun);
  const others = noun === "" ? commands.filter((command) => command.noun !== "") : [];
  const title = noun === "" ? `scorel ${version}` : `scorel ${noun}`;
  return [
    title,
    section("Usage", shown.map(usageOf)),
    section(
      "Commands",
      columns(others.map((command) => [usageOf(command).slice("scorel ".length), command.description])),
    ),
    ...shown.map((command) =>
      section(shown.length > 1 ? `Options of ${nameOf(command)}` : "Options", optionRows(command.options)),
    ),
    section("Options of every command", optionRows([...globalOptions, ...everywhere])),
  ]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}

/** What is answered before any command is looked for. */
export const everywhere: readonly CliOption[] = [
  { flags: "-h, --help", description: "Show this; `scorel <command> --help` tells more" },
  { flags: "-v, --version", description: "Show the version" },
];

function usageOf(command: CliCommand): string {
  const options = command.noun === "" && command.options?.length ? "[options]" : "";
  return [nameOf(command), command.args, options].filter(Boolean).join(" ");
}

function section(title: string, rows: readonly string[]): string {
  return rows.length === 0 ? "" : [`${title}:`, ...rows.map((row) => `  ${row}`)].join("\n");
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

function columns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}
