/** Of UTF-8, as a rough count. */
export const bytesPerToken = 4;

/** A size of the configuration in tokens: a share of the window up to 1, else tokens, at most the window. */
export function tokensIn(window: number, size: number): number {
  return size <= 1 ? Math.floor(window * size) : Math.min(window, size);
}
