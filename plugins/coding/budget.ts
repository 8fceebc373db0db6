/** A rough estimate of bytes per token, used for all models. */
export const BYTES_PER_TOKEN = 4;

interface Context {
  window: number;
  used: number;
}

/** The token budget of one Read: a small share of the window (a larger one for `full`), at most half of what is free. */
export function readBudget({ window, used }: Context, full: boolean): number {
  const share = full ? Math.max(8_000, window * 0.1) : Math.max(2_000, window * 0.01);
  return Math.floor(Math.min(share, half(window - used)));
}

/** The byte budget for output of a command or search: 50 KB, at most half of what is free. */
export function outputBudget({ window, used }: Context): number {
  return Math.floor(Math.min(50 * 1024, Math.max(half(window - used) * BYTES_PER_TOKEN, 1024)));
}

function half(tokens: number): number {
  return Math.max(0, tokens) / 2;
}
