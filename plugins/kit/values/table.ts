/** A plain object, like a TOML table or a JSON object. */
export type Table = Record<string, unknown>;

/** Whether a value is a plain object. */
export function isTable(value: unknown): value is Table {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A path of keys into nested tables; elements of arrays have their index as key. */
export type KeyPath = readonly (string | number)[];

/** A path in TOML syntax: `model.provider`, `"my ext".key`. */
export function dotted(path: KeyPath): string {
  return path.map((key) => (/^[\w-]+$/.test(String(key)) ? key : JSON.stringify(key))).join(".");
}

/** Every value that is not a table, with its path. */
export function leavesOf(value: unknown, path: KeyPath): { path: KeyPath; value: unknown }[] {
  if (value === undefined) return [];
  if (!isTable(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
