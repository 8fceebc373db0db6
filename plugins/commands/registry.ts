import type { OperationContext } from "@scorel/host/contract";
import { type BaseContext, codeOf } from "@scorel/kernel";
import { flawOfKey } from "@scorel/kit/terminal/key-names";
import { type Claim, claim } from "@scorel/kit/values/claims";
import { nearest } from "@scorel/kit/values/nearest";
import { parseArguments, usageOf } from "./arguments.ts";
import type { CommandResult, ListedCommand, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import { byGroup, OTHER } from "./groups.ts";
import { insteadOf } from "./names-of-others.ts";
import type { RunningCommands } from "./running-commands.ts";
import { shipped } from "./shipped.ts";
import { templates } from "./templates.ts";

/** A command with its name and origin. */
export interface Row {
  name: string;
  plugin: string;
  command: SlashCommand;
}

/** Lists all slash commands of the session, sorted by their headings and names. */
export function listCommands(ctx: BaseContext): ListedCommand[] {
  return [...rowsOf(ctx).values()]
    .map(({ name, plugin, command }) => ({
      name,
      plugin,
      description: command.summary ?? command.description ?? "",
      usage: usageOf(name, command.args),
      group: command.group ?? OTHER,
      ...(command.keys !== undefined && { keys: keysOf(command) }),
      ...(command.choices && { chooses: true as const }),
      ...(command.sealed && { sealed: true as const }),
    }))
    .sort((a, b) => byGroup(a.group, b.group) || (a.name < b.name ? -1 : 1));
}

/** Runs a command. Throws COMMAND_UNKNOWN, COMMAND_INVALID, COMMAND_ARGUMENTS and COMMAND_CANCELLED. */
export async function runCommand(
  { ctx, running }: { ctx: BaseContext; running: RunningCommands },
  { name, args }: { name: string; args: string },
  { assertOperations, ...context }: SlashContext & Pick<OperationContext, "assertOperations">,
): Promise<CommandResult> {
  const { command, plugin } = find(ctx, name);
  assertOperations(command.operations ?? "all", `/${name}`);
  const run = (command.run ?? command.handler) as NonNullable<SlashCommand["run"]>;
  const given = command.args ? parseArguments(name, command.args, args) : args;
  const answer = await running.run({ name, plugin, clientId: context.clientId }, context.signal, (signal) =>
    runReported(ctx, { name, plugin }, signal, () => run.call(command, given, { ...context, signal })),
  );
  if (typeof answer === "string") return { output: answer };
  const what = flawOfResult(answer);
  if (what !== undefined) ctx.report("", errors.COMMAND_RESULT({ name, plugin, what }), plugin);
  if (typeof answer !== "object" || answer === null) return {};
  return what === undefined ? answer : Object.fromEntries(Object.entries(answer).filter(([key]) => isField(key)));
}

const RESULT_FIELDS: Readonly<Record<keyof CommandResult, true>> = {
  output: true,
  data: true,
  sessionId: true,
  input: true,
  copy: true,
  turn: true,
  leave: true,
};

const isField = (key: string) => Object.hasOwn(RESULT_FIELDS, key);

/** Describes the invalid part of a command's result; undefined if the result is valid. */
function flawOfResult(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer !== "object") return `a ${typeof answer}`;
  const strange = Object.keys(answer).filter((key) => !isField(key));
  if (strange.length === 0) return undefined;
  const near = nearest(strange[0] as string, Object.keys(RESULT_FIELDS));
  return `${strange.map((key) => `"${key}"`).join(", ")}${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
}

/** Runs a command's code. An error without a code is also reported as a failure of its plugin, unless the command was cancelled. */
async function runReported<T>(
  ctx: BaseContext,
  { name, plugin }: Pick<Row, "name" | "plugin">,
  signal: AbortSignal,
  work: () => T,
): Promise<Awaited<T>> {
  const where = `command /${name}`;
  try {
    return await ctx.calls.run(plugin, where, work);
  } catch (thrown) {
    if (codeOf(thrown, "") === "" && !signal.aborted) ctx.report(where, thrown, plugin);
    throw thrown;
  }
}

/** The command of this name. Throws COMMAND_UNKNOWN and COMMAND_INVALID. */
export function find(ctx: BaseContext, name: string): Row {
  const { rows, flawed } = collectRows(ctx);
  const found = rows.get(name);
  const flaw = flawed.get(name);
  if (!found && flaw) throw flaw;
  if (!found)
    throw errors.COMMAND_UNKNOWN({ name, near: similarNames(name, [...rows.keys()]), instead: insteadOf(name) });
  return found;
}

/** Returns the commands by name. A template file is used only for a name that no plugin has. */
export function rowsOf(ctx: BaseContext): Map<string, Row> {
  return collectRows(ctx).rows;
}

/** Collects the commands by name, and the errors of unusable ones. */
function collectRows(ctx: BaseContext): { rows: Map<string, Row>; flawed: Map<string, Error> } {
  const flawed = new Map<string, Error>();
  const claimed = new Map<string, Row & Claim>();
  const { plugin } = ctx;
  for (const [name, command] of Object.entries(shipped(ctx, () => listCommands(ctx))))
    claimed.set(name, { name, plugin, command, replaces: false, report: () => {} });
  ctx.collect("commands", (value, plugin, report, replaces) => {
    const usable = usableCommands(value, plugin, (name, flaw) => {
      flawed.set(name, flaw);
      report(flaw);
    });
    for (const [name, command] of Object.entries(usable)) {
      for (const flaw of keysOf(command).flatMap((key) => flawOfKey(key) ?? []))
        report(errors.COMMAND_KEY({ name, plugin, flaw }));
      const known = claimed.get(name);
      if (known?.command.sealed && known.plugin !== plugin) {
        report(errors.COMMAND_SEALED({ name, plugin, owner: known.plugin }));
        continue;
      }
      claim(claimed, { name, plugin, command, replaces: replaces.includes(name), report }, errors.COMMAND_DUPLICATE);
    }
  });
  const files = templates(ctx.find("workspace"), (flaw) => tellOnce(ctx, flaw));
  const rows = new Map<string, Row>(files.map((row) => [row.name, row]));
  for (const [name, row] of claimed) rows.set(name, row);
  return { rows, flawed };
}

function keysOf({ keys = [] }: SlashCommand): string[] {
  return [keys].flat();
}

/** The problems with command files that were already reported in each session. The files are read again for every list. */
const told = new WeakMap<BaseContext["session"], Set<string>>();

function tellOnce(ctx: BaseContext, flaw: Error): void {
  const known = told.get(ctx.session) ?? new Set();
  told.set(ctx.session, known);
  if (known.has(flaw.message)) return;
  known.add(flaw.message);
  ctx.report("", flaw);
}

/** Returns the valid commands of a contribution; each invalid one is reported and does not affect the others. */
function usableCommands(
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
  const { summary = "", description = "", group = "", args, operations = "all" } = value as Record<string, unknown>;
  const { complete, choices, keys = [], run, handler } = value as Record<string, unknown>;
  if (typeof (run ?? handler) !== "function") return 'it has neither "run" nor "handler"';
  if (typeof summary !== "string" || typeof description !== "string") return "its summary is not text";
  if (typeof group !== "string") return "its group is not text";
  if (args !== undefined && typeof (args as { safeParse?: unknown } | null)?.safeParse !== "function")
    return "its args are not a zod object";
  if (operations !== "all" && !isNames(operations)) return 'its operations are neither "all" nor a list of names';
  if (choices !== undefined && typeof choices !== "function") return "its choices are not a function";
  if (!isNames([keys].flat())) return "its keys are not text";
  return complete === undefined || typeof complete === "function" ? undefined : "its complete is not a function";
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/**
 * Returns up to three similar names: those that share the longest beginning, since typos are rarely in the first
 * letters.
 */
function similarNames(name: string, names: readonly string[]): string[] {
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
