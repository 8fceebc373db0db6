/** The one rule by which usage is read from events and added up. Values are unchecked: plugins and imported logs may contain anything. */

import { isTable } from "../values/table.ts";

/** Tokens, or their cost in US dollars, by kind. */
export interface Kinds {
  /** Tokens that were neither read from nor written to the provider's cache. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}
/** Tokens and cost of one or more model calls. */
export interface Usage extends Kinds {
  totalTokens: number;
  cost: Kinds & { total: number };
}
/** The usage in an event. */
export interface Use {
  /** `provider/id` of the model; the tool's name if its usage names no model, and `unknown` if nothing says more. */
  model: string;
  /** As it was stored. */
  usage: Partial<Usage> & { sessionId?: unknown };
}

const KINDS = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** The largest plausible number; a larger one is treated as invalid. */
const MOST = 1e10;

export function noUsage(): Usage {
  return { ...kindsIn({}), totalTokens: 0, cost: { ...kindsIn({}), total: 0 } };
}

/** Returns a valid usage: missing and invalid numbers are 0, and missing totals are sums. Other fields are kept. */
export function soundUsage<U>(usage: U): U & Usage {
  const given = recordIn(usage);
  const cost = recordIn(given.cost);
  const [tokens, costs] = [kindsIn(given), kindsIn(cost)];
  return {
    ...given,
    ...tokens,
    totalTokens: given.totalTokens === undefined ? sumOf(tokens) : numberIn(given.totalTokens),
    cost: { ...cost, ...costs, total: cost.total === undefined ? sumOf(costs) : numberIn(cost.total) },
  } as U & Usage;
}

/** Returns the sum of a usage and another one, whose missing and invalid numbers count as `soundUsage` says. */
export function addUsage(sum: Usage, usage: unknown): Usage {
  const more = soundUsage(usage);
  return {
    ...kindsOf(sum, more),
    totalTokens: sum.totalTokens + more.totalTokens,
    cost: { ...kindsOf(sum.cost, more.cost), total: sum.cost.total + more.cost.total },
  };
}

/** Tokens of the requests and their replies. Does not use `totalTokens`, which some providers count differently. */
export function tokensOf(usage: Kinds): number {
  return sumOf(usage);
}

/** Whether the cost is known. Tokens without a cost mean that the price of the model is not known, not that it is free. */
export function isPriced(usage: Usage): boolean {
  return usage.cost.total > 0 || tokensOf(usage) === 0;
}

/**
 * Returns the usage in a stored event: of a reply, of a tool that reports it, of a summary, or of work outside the conversation, which
 * plugins store as an event `custom` with `usage` in its data. Undefined for other events.
 */
export function usageIn(event: object): Use | undefined {
  const { type, message, model, usage, data } = event as Record<string, unknown>;
  if (type === "message" || type === "custom_message") return usageOfMessage(recordIn(message));
  if (type === "compact") return useOf(usage, model);
  if (type !== "custom") return undefined;
  const noted = recordIn(data);
  return useOf(noted.usage, noted.model);
}

function usageOfMessage({ role, usage, provider, model, toolName }: Record<string, unknown>): Use | undefined {
  if (role === "assistant") return useOf(usage, `${nameIn(provider)}/${nameIn(model)}`);
  return role === "tool_result" ? useOf(usage, recordIn(usage).model ?? toolName) : undefined;
}

function useOf(usage: unknown, model: unknown): Use | undefined {
  return isTable(usage) ? { model: nameIn(model), usage } : undefined;
}

function nameIn(value: unknown): string {
  return typeof value === "string" ? value : "unknown";
}

function recordIn(value: unknown): Record<string, unknown> {
  return isTable(value) ? value : {};
}

function kindsIn(given: { [K in keyof Kinds]?: unknown }): Kinds {
  return byKind((kind) => numberIn(given[kind]));
}

function kindsOf(a: Kinds, b: Kinds): Kinds {
  return byKind((kind) => a[kind] + b[kind]);
}

function sumOf(kinds: Kinds): number {
  return KINDS.reduce((sum, kind) => sum + kinds[kind], 0);
}

/** Returns the number that `number` returns for each kind. */
function byKind(number: (kind: keyof Kinds) => number): Kinds {
  return Object.fromEntries(KINDS.map((kind) => [kind, number(kind)])) as unknown as Kinds;
}

/** Some providers send numbers as text. */
function numberIn(value: unknown): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && number > 0 && number <= MOST ? number : 0;
}
