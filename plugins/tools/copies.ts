/** A deeply frozen copy of plain data. Other objects (a Date, a class instance) are shared. */
export function frozenCopy(value: unknown): unknown {
  return copied(value, Object.freeze, new Map());
}

/** A deep copy of plain data that its receiver may change. */
export function ownCopy(value: unknown): unknown {
  return copied(value, (copy) => copy, new Map());
}

type Finish = <T extends object>(copy: T) => T;

function copied(value: unknown, finish: Finish, seen: Map<object, object>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    seen.set(value, list);
    for (const item of value) list.push(copied(item, finish, seen));
    return finish(list);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const fields: Record<string, unknown> = {};
  seen.set(value, fields);
  for (const [key, field] of Object.entries(value)) {
    // Assigning `__proto__` would replace the prototype.
    if (key !== "__proto__") fields[key] = copied(field, finish, seen);
  }
  return finish(fields);
}
