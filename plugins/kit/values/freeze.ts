const UNLIKE_JSON = Symbol("unlike JSON");

/**
 * Returns the deeply frozen result of `JSON.parse(json)` for the value that `json` was made from. All listeners share an event, so
 * it must not be changed, and must equal its record. Plain data is copied directly, which is several times faster than parsing;
 * values that JSON would change are parsed.
 */
export function frozenAsJson<T>(value: T, json: string): T {
  const copied = copy(value);
  return (copied === UNLIKE_JSON ? freeze(JSON.parse(json)) : copied) as T;
}

/** Deeply freezes a parsed value. */
export function freeze<T>(value: T): T {
  return typeof value === "object" && value !== null ? freezeObject(value) : value;
}

/** Reads property by property, since creating an array of values for each object would take as long as everything else. */
function freezeObject<T extends object>(object: T): T {
  for (const key of Object.keys(object)) {
    const inner = (object as Record<string, unknown>)[key];
    if (typeof inner === "object" && inner !== null) freezeObject(inner);
  }
  return Object.freeze(object);
}

function copy(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : UNLIKE_JSON;
  if (typeof value !== "object") return UNLIKE_JSON;
  return Array.isArray(value) ? copyArray(value) : copyObject(value);
}

function copyArray(value: readonly unknown[]): unknown {
  const result: unknown[] = [];
  for (const inner of value) {
    const copied = copy(inner);
    if (copied === UNLIKE_JSON) return UNLIKE_JSON;
    result.push(copied);
  }
  return Object.freeze(result);
}

function copyObject(value: object): unknown {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return UNLIKE_JSON;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    const copied = key === "__proto__" || key === "toJSON" ? UNLIKE_JSON : copy(inner);
    if (copied === UNLIKE_JSON) return UNLIKE_JSON;
    result[key] = copied;
  }
  return Object.freeze(result);
}
