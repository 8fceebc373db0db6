import type { OperationContext } from "@scorel/host/contract";
import { type BaseContext, codeOf } from "@scorel/kernel";
import { nearest } from "@scorel/kit/values/nearest";
import { parseArguments } from "./arguments.ts";
import type { CommandResult, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import type { CommandRegistry, Row } from "./registry.ts";
import type { Run } from "./running-commands.ts";

/**
 * Runs the command that `run` names, unless the signal has aborted. Throws COMMAND_UNKNOWN, COMMAND_INVALID, COMMAND_ARGUMENTS and what the
 * command throws.
 */
export async function runCommand(
  { ctx, registry, run }: { ctx: BaseContext; registry: CommandRegistry; run: Run },
  args: string,
  { assertOperations, ...context }: SlashContext & Pick<OperationContext, "assertOperations">,
): Promise<CommandResult> {
  const { name } = run;
  const { command, plugin } = await registry.find(name);
  run.plugin = plugin;
  assertOperations(command.operations ?? "all", `/${name}`);
  const work = (command.run ?? command.handler) as NonNullable<SlashCommand["run"]>;
  const given = command.args ? parseArguments(name, command.args, args) : args;
  context.signal.throwIfAborted();
  const answer = await runReported(ctx, { name, plugin }, context.signal, () => work.call(command, given, context));
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
  options: true,
  input: true,
  pictures: true,
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
