import { type BaseContext, messageOf } from "@scorel/kernel";
import type { ToolOutput, ToolWrapper, WrappedCall } from "./contract.ts";
import { errors } from "./errors.ts";
import { normalise } from "./result.ts";

/** A wrapper with the id of its plugin. */
export interface OwnedWrapper {
  plugin: string;
  wrap: ToolWrapper;
}

/** Returns the wrappers of a tool, the outermost first. They are collected at the first call, and again when they have changed. */
export function createWrappers(ctx: BaseContext): (tool: string) => readonly OwnedWrapper[] {
  let all: { tool: string; wrapper: OwnedWrapper }[] | undefined;
  ctx.onContributed("toolWrappers", () => {
    all = undefined;
  });
  return (tool) => {
    all ??= collectWrappers(ctx);
    return all.filter((row) => row.tool === tool || row.tool === "*").map(({ wrapper }) => wrapper);
  };
}

function collectWrappers(ctx: BaseContext): { tool: string; wrapper: OwnedWrapper }[] {
  return ctx
    .collect("toolWrappers", usable)
    .flatMap(({ plugin, value }) => Object.entries(value).map(([tool, wrap]) => ({ tool, wrapper: { plugin, wrap } })));
}

function usable(value: unknown, plugin: string, report: (flaw: unknown) => void): Record<string, unknown> {
  if (typeof value !== "object" || Array.isArray(value)) throw errors.TOOL_WRAPPERS({ plugin });
  const entries = Object.entries(value as object).filter(([tool, wrap]) => {
    if (typeof wrap !== "function") report(errors.TOOL_WRAPPERS({ plugin, tool }));
    return typeof wrap === "function";
  });
  return Object.fromEntries(entries);
}

type Run<T> = (plugin: string, where: string, work: () => T) => T;

/** Runs a call through its wrappers. Rejects with TOOL_WRAPPER, or with what the tool itself rejected with. */
export async function runWrapped(
  wrappers: readonly OwnedWrapper[],
  call: WrappedCall,
  { execute, run }: { execute(): Promise<ToolOutput>; run: Run<unknown> },
): Promise<ToolOutput> {
  const [outermost, ...inner] = wrappers;
  if (!outermost) return execute();
  const { plugin, wrap } = outermost;
  const failures = new Set<unknown>();
  const next = async () => {
    try {
      return await runWrapped(inner, call, { execute, run });
    } catch (thrown) {
      failures.add(thrown);
      throw thrown;
    }
  };
  try {
    return normalise(await run(plugin, `wrapper of tool ${call.tool}`, () => wrap(call, next)));
  } catch (thrown) {
    if (failures.has(thrown)) throw thrown;
    throw errors.TOOL_WRAPPER({ plugin, name: call.tool, reason: messageOf(thrown) }, { cause: thrown });
  }
}
