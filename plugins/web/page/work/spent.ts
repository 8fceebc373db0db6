/** What one model has used in a session. */
export interface ModelUse {
  model: string;
  /** Tokens that were sent, those from the cache included. */
  input: number;
  cacheRead: number;
  output: number;
  /** US dollars; 0 where no price is known. */
  total: number;
}

export interface ContextPart {
  name: string;
  tokens: number;
}

/** What the command `cost` tells of each model. */
export function usesIn(data: unknown): ModelUse[] {
  const { models } = (data ?? {}) as { models?: Record<string, Omit<ModelUse, "model">> };
  return Object.entries(models ?? {}).map(([model, use]) => ({ model, ...use }));
}

/** What the command `context` tells of the parts of the next request. */
export function contextIn(data: unknown): { parts: ContextPart[]; used: number; window: number | undefined } {
  const { parts = [], used = 0, window } = (data ?? {}) as Partial<ReturnType<typeof contextIn>>;
  return { parts, used, window };
}

/** A cost in words. What was used without a known price did not cost nothing: it is not known. */
export function costOf({ input, output, total }: Pick<ModelUse, "input" | "output" | "total">): string {
  return total === 0 && input + output > 0 ? "?" : `$${total.toFixed(4)}`;
}
