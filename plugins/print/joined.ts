import type { TurnOutcome } from "@scorel/agent/contract";

/** The second of two turns, with the usage of both. */
export function joined(first: TurnOutcome, second: TurnOutcome): TurnOutcome {
  const cost = added(first.usage.cost, second.usage.cost);
  const usage = { ...added({ ...first.usage, cost: 0 }, { ...second.usage, cost: 0 }), cost };
  return { ...second, usage, durationMs: first.durationMs + second.durationMs };
}

function added<T extends Record<keyof T, number>>(a: T, b: T): T {
  const sums = (Object.keys(b) as (keyof T)[]).map((key) => [key, a[key] + b[key]]);
  return Object.fromEntries(sums) as T;
}
