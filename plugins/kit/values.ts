/** A plain object, as TOML and JSON have them. */
export type Table = Record<string, unknown>;

export function isTable(value: unknown): value is Table {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
