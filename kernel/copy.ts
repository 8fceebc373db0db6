/** Deeper than messages are: from here on a circle is looked for. */
const DEEP = 5;

/**
 * A copy that its receiver may change as it likes: plain objects and arrays are copied throughout, while what is frozen, or
 * is no plain data (a signal, a function, an instance of a class), is shared. Copying what is frozen would be work for nothing:
 * most of a long conversation is.
 */
export function copyPlain<T>(value: T): T {
  return copied(value, 0, undefined) as T;
}

/** A copy that nobody can change, by the same rule: for what several hear at once. */
export function frozenCopy<T>(value: T): T {
  return frozenInside(copied(value, 0, undefined), new Set()) as T;
}

/** The same of an object that is its maker's alone: it is frozen itself, and only what it holds is copied. */
export function freezeFields(value: Record<string, unknown>): Readonly<Record<string, unknown>> {
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object" && inner !== null) value[key] = frozenCopy(inner);
  }
  return Object.freeze(value);
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

/** Plain data that could still be changed. */
function isOpen(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
