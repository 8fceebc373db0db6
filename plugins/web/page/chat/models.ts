import type { ModelRow } from "@scorel/host/contract";

/** The models whose names contain all wanted words. Those that are ready for use come first, otherwise the order is kept. */
export function matchingModels(models: readonly ModelRow[], wanted: string): ModelRow[] {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter((model) => parts.every((part) => nameOf(model).toLowerCase().includes(part)));
  return found.sort((a, b) => Number(b.ready) - Number(a.ready));
}

/** The models that are ready for use. All models if none is ready, or if the person searches for one. */
export function usableModels(models: readonly ModelRow[], wanted: string): readonly ModelRow[] {
  const ready = models.filter((model) => model.ready);
  return ready.length === 0 || wanted.trim() !== "" ? models : ready;
}

export function nameOf({ provider, id }: Pick<ModelRow, "provider" | "id">): string {
  return `${provider}/${id}`;
}

/** A number of tokens in short form: 200k, 1M. */
export function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}
