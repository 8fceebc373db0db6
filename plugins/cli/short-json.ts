import type { CliCommand, CliOption } from "./contract.ts";
import { readOption } from "./option.ts";

const OUTPUT = "--output";

/** `--json`, the short form of `--output json`. */
const json: CliOption = {
  flags: "--json",
  description: `The same as ${OUTPUT} json`,
  means: { option: OUTPUT, value: "json" },
};

/** Adds `--json` to a command that prints JSON with `--output json`. Returns other commands, and those with their own `--json`, as they are. */
export function withShortJson(command: CliCommand): CliCommand {
  const options = command.options ?? [];
  const known = options.map(readOption);
  const at = known.findIndex(({ long, values }) => long === OUTPUT && values?.includes("json"));
  if (at < 0 || known.some(({ long }) => long === "--json")) return command;
  return {
    ...command,
    options: [...options.slice(0, at + 1), json, ...options.slice(at + 1)],
    run: (invocation) => {
      const { json: isShort, ...given } = invocation.options;
      return command.run(isShort === true ? { ...invocation, options: { ...given, output: "json" } } : invocation);
    },
  };
}
