import type { ToolCallOutcome } from "@scorel/agent/contract";
import { messageOf } from "@scorel/kernel";
import type { RunnerContext } from "../config.ts";

/** Lets the model request that follows the load start first, so that staging does not delay it. */
const DELAY_MS = 50;

/**
 * Copies a skill with programs into the workspace as soon as a model has loaded it, so that the first run need not wait for the
 * copy. An error is only logged; the run that needs the skill reports it.
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
    const { stageOne } = await import("../run/ready.ts");
    await stageOne(ctx, name);
  } catch (thrown) {
    ctx.logger.debug(`The skill ${name} was not staged ahead: ${messageOf(thrown)}`);
  }
}

/** The name of a loaded skill that has files besides its texts. */
function skillWithFiles(details: unknown): string | undefined {
  const { skill } = (details ?? {}) as { skill?: { name?: unknown; folder?: unknown } };
  return typeof skill?.name === "string" && skill.folder !== undefined ? skill.name : undefined;
}
