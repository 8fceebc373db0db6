import { argumentsOf } from "./arguments.ts";
import type { SlashCommand } from "./contract.ts";
import { errors } from "./errors.ts";

/** Returns the valid commands of a contribution; each invalid one is reported and does not affect the others. */
export function usableCommands(
  value: unknown,
  plugin: string,
  report: (name: string, flaw: Error) => void,
): Record<string, SlashCommand> {
  if (typeof value !== "object" || Array.isArray(value)) throw errors.COMMANDS_INVALID();
  const usable: Record<string, SlashCommand> = {};
  for (const [name, given] of Object.entries(value as object)) {
    const command: unknown = typeof given === "function" ? { run: given } : given;
    const flaw = flawOf(name, command);
    if (flaw === undefined) usable[name] = command as SlashCommand;
    else report(name, errors.COMMAND_INVALID({ name, plugin, flaw }));
  }
  return usable;
}

/** Returns why a value is not a command, or undefined. */
function flawOf(name: string, value: unknown): string | undefined {
  if (!/^[^\s/]+$/.test(name)) return "its name has to be one word without a slash";
  if (typeof value !== "object" || value === null) return "it is neither a function nor an object with one";
  const {
    summary = "",
    description = "",
    group = "",
    hint = "",
    args,
    operations = "all",
  } = value as Record<string, unknown>;
  const { complete, choices, keys = [], run, handler } = value as Record<string, unknown>;
  if (typeof (run ?? handler) !== "function") return 'it has neither "run" nor "handler"';
  if (typeof summary !== "string" || typeof description !== "string") return "its summary is not text";
  if (typeof group !== "string") return "its group is not text";
  if (typeof hint !== "string") return "its hint is not text";
  const unreadable = args === undefined ? undefined : flawOfArguments(args);
  if (unreadable !== undefined) return unreadable;
  if (operations !== "all" && !isNames(operations)) return 'its operations are neither "all" nor a list of names';
  if (choices !== undefined && typeof choices !== "function") return "its choices are not a function";
  if (!isNames([keys].flat())) return "its keys are not text";
  return complete === undefined || typeof complete === "function" ? undefined : "its complete is not a function";
}

/** Returns why the arguments of a command cannot be shown, or undefined. Lists of all commands show them. */
function flawOfArguments(args: unknown): string | undefined {
  if (typeof (args as { safeParse?: unknown } | null)?.safeParse !== "function") return "its args are not a zod object";
  if (!("_zod" in (args as object))) return "its args are a zod 3 schema; use zod 4";
  try {
    argumentsOf(args as NonNullable<SlashCommand["args"]>);
    return undefined;
  } catch {
    return "its args cannot be converted to JSON Schema";
  }
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
