/** The usage of one model in a session. */
export interface ModelUse {
  model: string;
  /** Input tokens, including those from the cache. */
  input: number;
  cacheRead: number;
  output: number;
  /** Cost in US dollars; 0 if the price is unknown. */
  total: number;
}

export interface ContextPart {
  name: string;
  tokens: number;
}

/** Reads the usage per model from the output of the command `cost`. */
export function usesIn(data: unknown): ModelUse[] {
  const { models } = (data ?? {}) as { models?: Record<string, Omit<ModelUse, "model">> };
  return Object.entries(models ?? {}).map(([model, use]) => ({ model, ...use }));
}

/** Reads the parts of the next request from the output of the command `context`. */
export function contextIn(data: unknown): { parts: ContextPart[]; used: number; window: number | undefined } {
  const { parts = [], used = 0, window } = (data ?? {}) as Partial<ReturnType<typeof contextIn>>;
  return { parts, used, window };
}

/** Formats a cost. If the price is unknown, says so, since usage without a known price is not free. */
export function costOf({ input, output, total }: Pick<ModelUse, "input" | "output" | "total">): string {
  return total === 0 && input + output > 0 ? "?" : `$${total.toFixed(4)}`;
}
