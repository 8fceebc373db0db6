/** Circular references are only detected below this depth, which messages do not reach. */
const DEEP = 5;

/**
 * A deep copy of plain objects and arrays, which its receiver may change. Frozen objects, and values that are not plain data (a
 * signal, a function, an instance of a class), are shared. Sharing frozen objects saves time: most of a long conversation is frozen.
 */
export function copyPlain<T>(value: T): T {
  return copied(value, 0, undefined) as T;
}

/** Same as `copyPlain`, but the copy is frozen, so that several receivers can share it. */
export function frozenCopy<T>(value: T): T {
  return frozenInside(copied(value, 0, undefined), new Set()) as T;
}

/** Freezes an object that only the caller refers to, and replaces its values by frozen copies. Does not copy the object itself. */
export function freezeFields(value: Record<string, unknown>): Readonly<Record<string, unknown>> {
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object" && inner !== null) value[key] = frozenCopy(inner);
  }
  return Object.freeze(value);
}

/** A deep copy in which all plain data can be changed: it is copied even if it is frozen. Other values are shared. */
export function ownCopy<T>(value: T): T {
  return thawed(value, new Map()) as T;
}

function thawed(value: unknown, seen: Map<object, object>): unknown {
  if (!isPlain(value)) return value;
  const known = seen.get(value);
  if (known) return known;
  const copy: object = Array.isArray(value) ? [] : {};
  seen.set(value, copy);
  // Assigning `__proto__` would replace the prototype.
  for (const [key, inner] of Object.entries(value))
    if (key !== "__proto__") (copy as Record<string, unknown>)[key] = thawed(inner, seen);
  return copy;
}

function copied(value: unknown, depth: number, seen: Map<object, unknown> | undefined): unknown {
  if (!isOpen(value)) return value;
  if (depth < DEEP) return Array.isArray(value) ? copiedArray(value, depth, seen) : copiedObject(value, depth, seen);
  const known = seen ?? new Map<object, unknown>();
  return (
    known.get(value) ?? (Array.isArray(value) ? copiedArray(value, depth, known) : copiedObject(value, depth, known))
  );
}

function copiedArray(value: readonly unknown[], depth: number, seen: Map<object, unknown> | undefined): unknown[] {
  const copy = value.slice();
  seen?.set(value, copy);
  for (let index = 0; index < copy.length; index++) {
    const inner = copy[index];
    if (typeof inner === "object" && inner !== null) copy[index] = copied(inner, depth + 1, seen);
  }
  return copy;
}

function copiedObject(value: object, depth: number, seen: Map<object, unknown> | undefined): object {
  const copy: Record<string, unknown> = { ...value };
  seen?.set(value, copy);
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === "object" && inner !== null) copy[key] = copied(inner, depth + 1, seen);
  }
  return copy;
}

function frozenInside(value: unknown, seen: Set<object>): unknown {
  if (!isOpen(value) || seen.has(value)) return value;
  seen.add(value);
  for (const inner of Object.values(value)) frozenInside(inner, seen);
  return Object.freeze(value);
}

/** Whether a value is plain data that is not frozen. */
function isOpen(value: unknown): value is object {
  return isPlain(value) && !Object.isFrozen(value);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
