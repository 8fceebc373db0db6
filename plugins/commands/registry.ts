import type { BaseContext } from "@scorel/kernel";
import { argumentsOf, parseArguments, usageOf } from "./arguments.ts";
import type { CommandResult, Completion, ListedCommand, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import { shipped } from "./shipped.ts";
import { templates } from "./templates.ts";

interface Row {
  name: string;
  plugin: string;
  command: SlashCommand;
}

/** Everything that can be typed after a slash in this session, by name. */
export function listCommands(ctx: BaseContext): ListedCommand[] {
  return [...rowsOf(ctx).values()]
    .map(({ name, plugin, command }) => ({
      name,
      plugin,
      description: command.summary ?? command.description ?? "",
      usage: usageOf(name, command.args),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Runs a command. Throws COMMAND_UNKNOWN, COMMAND_INVALID and COMMAND_ARGUMENTS. */
export async function runCommand(
  ctx: BaseContext,
  { name, args }: { name: string; args: string },
  context: SlashContext,
): Promise<CommandResult> {
  const { command, plugin } = find(ctx, name);
  const run = command.run ?? command.handler;
  if (typeof run !== "function") throw errors.COMMAND_INVALID({ name, plugin });
  const given = command.args ? parseArguments(name, command.args, args) : args;
  const answer = await run.call(command, given, context);
  if (typeof answer === "string") return { output: answer };
  return typeof answer === "object" && answer !== null ? answer : {};
}

/** What could stand at the end of a line: a command's name, one of its values or options. */
export async function completeCommand(ctx: BaseContext, line: string, context: SlashContext): Promise<Completion> {
  const [, name = "", space, rest = ""] = /^\/(\S*)(\s+)?([\s\S]*)$/.exec(line) ?? [];
  const rows = rowsOf(ctx);
  if (space === undefined) return { from: 1, values: [...rows.keys()].filter((each) => each.startsWith(name)).sort() };
  const command = rows.get(name)?.command;
  const typed = /\S*$/.exec(rest)?.[0] ?? "";
  const values = command?.args
    ? await valuesFor(command, rest.slice(0, rest.length - typed.length), typed, context)
    : [];
  return { from: line.length - typed.length, values: values.filter((value) => value.startsWith(typed)) };
}

async function valuesFor(
  { args, complete }: SlashCommand,
  before: string,
  typed: string,
  context: SlashContext,
): Promise<readonly string[]> {
  const known = argumentsOf(args as NonNullable<typeof args>);
  const words = before.split(/\s+/).filter(Boolean);
  if (typed.startsWith("-"))
    return known.filter(({ flag, key }) => flag && !words.includes(`--${key}`)).map(({ key }) => `--${key}`);
  const place = known.filter(({ flag }) => !flag)[words.filter((word) => !word.startsWith("--")).length];
  if (!place) return [];
  return place.values.length > 0 ? place.values : ((await complete?.(place.key, typed, context)) ?? []);
}

function find(ctx: BaseContext, name: string): Row {
  const rows = rowsOf(ctx);
  const found = rows.get(name);
  if (!found) throw errors.COMMAND_UNKNOWN({ name, near: alike(name, [...rows.keys()]) });
  return found;
}

/** Of two plugins with one name the later one's counts, the shipped come first; a file never takes a command's name. */
function rowsOf(ctx: BaseContext): Map<string, Row> {
  const rows = new Map<string, Row>(templates(ctx.find("workspace")).map((row) => [row.name, row]));
  const own = { plugin: ctx.plugin, value: shipped(ctx, () => listCommands(ctx)) };
  for (const { plugin, value } of [own, ...ctx.collect("commands")])
    for (const [name, command] of Object.entries(value)) rows.set(name, { name, plugin, command });
  return rows;
}

/** Names that begin as the asked one does, those first that go along with it longest: a slip is rarely in the first letters. */
function alike(name: string, names: readonly string[]): string[] {
  return names
    .map((each) => ({ each, shared: sharedLength(each, name) }))
    .filter(({ shared }) => shared >= 2)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, 3)
    .map(({ each }) => each);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]?.toLowerCase()) length++;
  return length;
}
