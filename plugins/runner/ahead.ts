import type { ToolCallOutcome } from "@scorel/agent/contract";
import { messageOf } from "@scorel/kernel";
import type { RunnerContext } from "./config.ts";

/** By then the request that follows the load has left, so that staging holds nothing up. */
const DELAY_MS = 50;

/**
 * Stages a skill with programs as soon as a model has loaded it: the model reads for longer than the copy of a thousand files takes,
 * and the first run finds it there. What goes wrong is told by the run that needs it.
 */
export function stageAhead(ctx: RunnerContext): (call: ToolCallOutcome) => undefined {
  const timers = new Set<NodeJS.Timeout>();
  ctx.onDispose(() => timers.forEach(clearTimeout));
  return ({ toolCall, result, isError }) => {
    const name = toolCall.name === "skill_load" && !isError ? skillWithFiles(result.details) : undefined;
    if (name === undefined || ctx.find("tools")?.get("skill_run") === undefined) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void begin(ctx, name);
    }, DELAY_MS).unref();
    timers.add(timer);
  };
}

async function begin(ctx: RunnerContext, name: string): Promise<void> {
  try {
    const { stageOne } = await import("./ready.ts");
    await stageOne(ctx, name);
  } catch (thrown) {
    ctx.logger.debug(`The skill ${name} was not staged ahead: ${messageOf(thrown)}`);
  }
}

/** The name of a loaded skill that has more than texts. */
function skillWithFiles(details: unknown): string | undefined {
  const { skill } = (details ?? {}) as { skill?: { name?: unknown; folder?: unknown } };
  return typeof skill?.name === "string" && skill.folder !== undefined ? skill.name : undefined;
}
