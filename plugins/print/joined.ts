import type { TurnOutcome } from "@scorel/agent/contract";
import { addUsage } from "@scorel/kit/session/usage";

/** The second of two turns, with the usage of both. */
export function joined(first: TurnOutcome, second: TurnOutcome): TurnOutcome {
  const usage = addUsage(first.usage, second.usage);
  return { ...second, usage, durationMs: first.durationMs + second.durationMs };
}
