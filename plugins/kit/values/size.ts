/** Estimates a value's size in memory in bytes, from the lengths of its strings. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = 0;
  for (const part of Object.values(value)) size += 8 + sizeOf(part);
  return size;
}
