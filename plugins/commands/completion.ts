import type { OperationContext } from "@scorel/host/contract";
import type { Awaitable, BaseContext } from "@scorel/kernel";
import { z } from "zod";
import { type Argument, argumentAtEnd, argumentsOf, lastWord } from "./arguments.ts";
import type { Completion, MarkedWords, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import type { CommandRegistry, Row } from "./registry.ts";

/** The context in which completions run, with the check of the client's permissions. */
type Asking = SlashContext & Pick<OperationContext, "assertOperations">;

/** The commands that are completed, and the context of the plugin. */
interface Known {
  ctx: BaseContext;
  registry: CommandRegistry;
}

/** The most milliseconds that completing may take. */
const LIMIT_MS = 2_000;
const NO_LIST = 'its "complete" answers no list of texts';

/** Completes the end of a line: a command's name, one of its values or options, or a marked word such as `$skill`. */
export async function completeCommand(known: Known, line: string, context: Asking): Promise<Completion> {
  const found = line.startsWith("/") ? await completeSlash(known, line, context) : { from: line.length, values: [] };
  return found.values.length > 0 ? found : ((await completeMarked(known.ctx, line, context)) ?? found);
}

async function completeSlash(
  { ctx, registry }: Known,
  line: string,
  { assertOperations, ...context }: Asking,
): Promise<Completion> {
  const [, name = "", space, rest = ""] = /^\/(\S*)(\s+)?([\s\S]*)$/.exec(line) ?? [];
  const rows = await registry.rows();
  if (space === undefined) return { from: 1, values: [...rows.keys()].filter((each) => each.startsWith(name)).sort() };
  const row = rows.get(name);
  const known = argumentsOf(row?.command.args ?? z.object({}));
  const { typed, values } = await valuesAt(known, rest, (key, typed) =>
    row && mayRun(row, assertOperations) ? suggested(ctx, row, () => row.command.complete?.(key, typed, context)) : [],
  );
  return { from: line.length - typed.length, values: values.filter((value) => value.startsWith(typed)) };
}

/** Whether the client may run a command. If not, the command's own completions are not requested either. */
function mayRun({ name, command }: Row, assertOperations: Asking["assertOperations"]): boolean {
  try {
    assertOperations(command.operations ?? "all", `/${name}`);
    return true;
  } catch {
    return false;
  }
}

/** Completes the last word if it begins with the sign of a plugin's marked words. */
async function completeMarked(
  ctx: BaseContext,
  line: string,
  { assertOperations: _, ...context }: Asking,
): Promise<Completion | undefined> {
  const word = lastWord(line);
  if (word === "") return undefined;
  const values: string[] = [];
  for (const { plugin, value } of ctx.collect("markedWords", usableMarks))
    for (const { sign, complete } of value.filter((each) => word.startsWith(each.sign))) {
      const typed = word.slice(sign.length);
      const where = `complete of words with ${sign}`;
      const found = await answered(
        ctx,
        plugin,
        where,
        () => complete(typed, context),
        errors.COMMAND_MARKED({ plugin }),
      );
      values.push(...found.filter((each) => each.startsWith(typed)).map((each) => sign + each));
    }
  return { from: line.length - word.length, values: [...new Set(values)].sort() };
}

function usableMarks(value: unknown, plugin: string, report: (flaw: unknown) => void): MarkedWords[] {
  if (!Array.isArray(value)) throw errors.COMMAND_MARKED({ plugin });
  return value.filter((each: unknown): each is MarkedWords => {
    const { sign, complete } = Object(each) as Partial<MarkedWords>;
    const isMarked = typeof sign === "string" && sign !== "" && typeof complete === "function";
    if (!isMarked) report(errors.COMMAND_MARKED({ plugin }));
    return isMarked;
  });
}

function suggested(
  ctx: BaseContext,
  { name, plugin }: Row,
  work: () => Awaitable<readonly string[]> | undefined,
): Promise<readonly string[]> {
  return answered(
    ctx,
    plugin,
    `complete of command /${name}`,
    work,
    errors.COMMAND_INVALID({ name, plugin, flaw: NO_LIST }),
  );
}

/** Calls a plugin's completion function. Returns nothing when it fails or takes too long. */
function answered(
  ctx: BaseContext,
  plugin: string,
  where: string,
  work: () => Awaitable<readonly string[]> | undefined,
  invalid: Error,
): Promise<readonly string[]> {
  return ctx.attempt<Promise<readonly string[]>>({ plugin, where, otherwise: [], limit: LIMIT_MS }, async () => {
    const values = (await work()) ?? [];
    if (Array.isArray(values) && values.every((value) => typeof value === "string")) return values;
    throw invalid;
  });
}

/** Returns what is typed at the end of a line of arguments, and the values that may be meant. */
async function valuesAt(
  known: readonly Argument[],
  rest: string,
  suggestions: (key: string, typed: string) => Awaitable<readonly string[]>,
): Promise<{ typed: string; values: readonly string[] }> {
  const words = rest.split(/\s+/);
  const word = words.at(-1) ?? "";
  if (word.startsWith("-")) {
    const flags = known.filter(({ flag, key }) => flag && !words.includes(`--${key}`));
    return { typed: word, values: flags.map(({ key }) => `--${key}`) };
  }
  const { argument, typed } = argumentAtEnd(known, rest);
  if (!argument) return { typed, values: [] };
  const { key, values } = argument;
  return { typed, values: values.length > 0 ? values : await suggestions(key, typed) };
}
