/** The bytes of a hexadecimal text, as test vectors are printed: spaces and line ends are ignored. */
export function bytes(hex: string): Uint8Array<ArrayBuffer> {
  const pairs = hex.replaceAll(/\s/g, "").match(/../g) ?? [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}
