/** Rough estimate, in bytes of UTF-8. */
export const bytesPerToken = 4;

/** Converts a configured size to tokens: a share of the window up to 1, else tokens, at most the window. */
export function tokensIn(window: number, size: number): number {
  return size <= 1 ? Math.floor(window * size) : Math.min(window, size);
}
