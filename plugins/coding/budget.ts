/** Rough, but the same for every model: four bytes of text make a token. */
export const BYTES_PER_TOKEN = 4;

interface Context {
  window: number;
  used: number;
}

/** Tokens one Read may take: a small share of the window (a larger one for `full`), never over half of what is free. */
export function readBudget({ window, used }: Context, full: boolean): number {
  const share = full ? Math.max(8_000, window * 0.1) : Math.max(2_000, window * 0.01);
  return Math.floor(Math.min(share, half(window - used)));
}

/** Bytes the output of a command or a search may take: at most 50 KB, never over half of what is free. */
export function outputBudget({ window, used }: Context): number {
  return Math.floor(Math.min(50 * 1024, Math.max(half(window - used) * BYTES_PER_TOKEN, 1024)));
}

function half(tokens: number): number {
  return Math.max(0, tokens) / 2;
}
