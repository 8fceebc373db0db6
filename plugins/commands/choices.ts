import type { OperationContext } from "@scorel/host/contract";
import type { BaseContext } from "@scorel/kernel";
import { beginningOf } from "@scorel/kit/text/cut";
import type { Choice, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Row } from "./registry.ts";

/** The most milliseconds that listing may take. */
const LIMIT_MS = 5_000;
const MOST = 1_000;
const LINE = 200;
const PREVIEW = 20_000;

/** Lists the choices for a command's argument, for a client that may run the command. Throws COMMAND_CHOICES. */
export async function listChoices(
  ctx: BaseContext,
  { name, command, plugin }: Row,
  { assertOperations, ...context }: SlashContext & Pick<OperationContext, "assertOperations">,
): Promise<{ choices: Choice[] }> {
  assertOperations(command.operations ?? "all", `/${name}`);
  const where = `choices of command /${name}`;
  const choices = await ctx.attempt<Promise<Choice[] | undefined>>(
    { plugin, where, otherwise: undefined, limit: LIMIT_MS },
    async () => usable(await command.choices?.(context)),
  );
  if (!choices) throw errors.COMMAND_CHOICES({ name, plugin });
  return { choices };
}

/** Checks the choices that a plugin has returned, and cuts their texts to what a list shows. Throws for an invalid list. */
function usable(given: unknown): Choice[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new TypeError('"choices" must return a list of { value, label, detail, preview }');
  return given.slice(0, MOST).map((each: unknown) => {
    const { value, label, detail, preview } = (typeof each === "string" ? { value: each } : Object(each)) as Choice;
    if (typeof value !== "string") throw new TypeError('the "value" of one of the choices is not a string');
    return {
      value,
      ...(label !== undefined && { label: beginningOf(String(label), LINE) }),
      ...(detail !== undefined && { detail: beginningOf(String(detail), LINE) }),
      ...(preview !== undefined && { preview: beginningOf(String(preview), PREVIEW) }),
    };
  });
}
