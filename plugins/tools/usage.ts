import type { ReportedUsage, ToolOutput } from "./contract.ts";

const COUNTS = ["input", "output", "cacheRead", "cacheWrite"] as const;
/** The largest count that is accepted; a larger one must be a mistake. */
const MOST = 1e10;
const LONGEST_NAME = 200;

/**
 * Completes the usage that a tool reports: missing counts are 0, and totals are sums. Throws an error whose message
 * says what is wrong.
 */
export function completeUsage(given: unknown): ReportedUsage {
  const usage = record("usage", given);
  const cost = usage.cost === undefined ? {} : record("usage.cost", usage.cost);
  const counts = numbers("usage", usage);
  const costs = numbers("usage.cost", cost);
  return {
    ...counts,
    totalTokens: usage.totalTokens === undefined ? sum(counts) : number("usage.totalTokens", usage.totalTokens),
    cost: { ...costs, total: cost.total === undefined ? sum(costs) : number("usage.cost.total", cost.total) },
    ...named("model", usage.model),
    ...named("sessionId", usage.sessionId),
  };
}

/** Returns the output with its usage completed; an invalid usage is dropped and reported to `onMistake`. */
export function withUsage(output: ToolOutput, onMistake?: (reason: string) => void): ToolOutput {
  if (output.usage === undefined) return output;
  const { usage, ...rest } = output;
  try {
    return { ...rest, usage: completeUsage(usage) };
  } catch (thrown) {
    onMistake?.((thrown as Error).message);
    return rest;
  }
}

type Counts = Record<(typeof COUNTS)[number], number>;

function numbers(place: string, given: Record<string, unknown>): Counts {
  return Object.fromEntries(COUNTS.map((key) => [key, number(`${place}.${key}`, given[key] ?? 0)])) as Counts;
}

function number(place: string, value: unknown): number {
  if (typeof value === "number" && value >= 0 && value <= MOST) return value;
  throw new Error(`${place} must be a number from 0 to ${MOST}, not ${JSON.stringify(value) ?? String(value)}`);
}

function sum(counts: Counts): number {
  return COUNTS.reduce((total, key) => total + counts[key], 0);
}

function named(key: "model" | "sessionId", value: unknown): Partial<ReportedUsage> {
  if (value === undefined) return {};
  if (typeof value === "string" && value.length <= LONGEST_NAME) return { [key]: value };
  throw new Error(`usage.${key} must be a text of up to ${LONGEST_NAME} characters`);
}

function record(place: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new Error(`${place} must be an object`);
}
