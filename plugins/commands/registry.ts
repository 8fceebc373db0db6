import { type Awaitable, asActivity, type BaseContext, codeOf } from "@scorel/kernel";
import { argumentsOf, parseArguments, usageOf } from "./arguments.ts";
import type { CommandResult, Completion, ListedCommand, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import { shipped } from "./shipped.ts";
import { templates } from "./templates.ts";

/** Milliseconds. */
const COMPLETE_LIMIT_MS = 2_000;
const NEITHER = 'it has neither "run" nor "handler"';

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
  if (typeof run !== "function") throw errors.COMMAND_INVALID({ name, plugin, flaw: NEITHER });
  const given = command.args ? parseArguments(name, command.args, args) : args;
  const answer = await named(ctx, { name, plugin }, () => run.call(command, given, context));
  if (typeof answer === "string") return { output: answer };
  return typeof answer === "object" && answer !== null ? answer : {};
}

/** What a command throws without a code is a failure of its plugin, which whoever gave the command hears of, too. */
async function named<T>(ctx: BaseContext, { name, plugin }: Omit<Row, "command">, work: () => T): Promise<Awaited<T>> {
  const where = `command /${name}`;
  try {
    return await asActivity(plugin, where, ctx.session.id, work);
  } catch (thrown) {
    if (codeOf(thrown, "") === "") ctx.report(where, thrown, plugin);
    throw thrown;
  }
}

/** What could stand at the end of a line: a command's name, one of its values or options. */
export async function completeCommand(ctx: BaseContext, line: string, context: SlashContext): Promise<Completion> {
  const [, name = "", space, rest = ""] = /^\/(\S*)(\s+)?([\s\S]*)$/.exec(line) ?? [];
  const rows = rowsOf(ctx);
  if (space === undefined) return { from: 1, values: [...rows.keys()].filter((each) => each.startsWith(name)).sort() };
  const row = rows.get(name);
  const typed = /\S*$/.exec(rest)?.[0] ?? "";
  const values = row?.command.args
    ? await valuesFor(row.command, rest.slice(0, rest.length - typed.length), typed, (key) =>
        suggested(ctx, row, () => row.command.complete?.(key, typed, context)),
      )
    : [];
  return { from: line.length - typed.length, values: values.filter((value) => value.startsWith(typed)) };
}

/** What a command suggests: nothing when it fails, or takes longer than anyone waits for a list. */
function suggested(
  ctx: BaseContext,
  { name, plugin }: Row,
  work: () => Awaitable<readonly string[]> | undefined,
): Promise<readonly string[]> {
  const where = `complete of command /${name}`;
  return ctx.guard<Promise<readonly string[]>>({ plugin, where, otherwise: [], limit: COMPLETE_LIMIT_MS }, async () => {
    const values = (await work()) ?? [];
    if (Array.isArray(values) && values.every((value) => typeof value === "string")) return values;
    throw errors.COMMAND_INVALID({ name, plugin, flaw: 'its "complete" answers no list of texts' });
  });
}

async function valuesFor(
  { args }: SlashCommand,
  before: string,
  typed: string,
  suggestions: (key: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const known = argumentsOf(args as NonNullable<typeof args>);
  const words = before.split(/\s+/).filter(Boolean);
  if (typed.startsWith("-"))
    return known.filter(({ flag, key }) => flag && !words.includes(`--${key}`)).map(({ key }) => `--${key}`);
  const place = known.filter(({ flag }) => !flag)[words.filter((word) => !word.startsWith("--")).length];
  if (!place) return [];
  return place.values.length > 0 ? place.values : suggestions(place.key);
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
  for (const { plugin, value } of [own, ...ctx.collect("commands", assertCommands)])
    for (const [name, command] of Object.entries(value)) rows.set(name, { name, plugin, command });
  return rows;
}

function assertCommands(value: unknown, plugin: string): void {
  if (typeof value !== "object" || Array.isArray(value)) throw errors.COMMANDS_INVALID();
  for (const [name, command] of Object.entries(value as object)) {
    const flaw = flawOf(command);
    if (flaw !== undefined) throw errors.COMMAND_INVALID({ name, plugin, flaw });
  }
}

/** What keeps a value from being a command; one that cannot be run is told when it is. */
function flawOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "it is no object";
  const { summary = "", description = "", args, complete } = value as Record<string, unknown>;
  if (typeof summary !== "string" || typeof description !== "string") return "its summary is no text";
  if (args !== undefined && typeof (args as { safeParse?: unknown } | null)?.safeParse !== "function")
    return "its args are no zod object";
  return complete === undefined || typeof complete === "function" ? undefined : "its complete is no function";
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
