import { isDeepStrictEqual } from "node:util";
import type { ArgumentChange } from "@scorel/messages/contract";
import { errors } from "../errors.ts";

/** Maximum nesting depth. Deeper than any real schema; also stops circular values. */
const MOST_LEVELS = 500;

/**
 * Returns a copy of a call's arguments as plain JSON data, so that guards and the tool read the same values: getters
 * and proxies are read once, and `__proto__` keys are dropped. Throws AGENT_CALL_ARGUMENTS for values that JSON cannot
 * hold.
 */
export function plainArguments(tool: string, args: unknown): unknown {
  return plainCopy(args, { tool, path: [] });
}

interface Place {
  tool: string;
  path: readonly (string | number)[];
}

function plainCopy(value: unknown, at: Place): unknown {
  if (typeof value === "object" && value !== null) return plainObject(value, at);
  if (typeof value === "number" && !Number.isFinite(value)) throw refused(at, `${value}`);
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  throw refused(at, value === undefined ? "undefined" : `a ${typeof value}`);
}

function plainObject(value: object, at: Place): unknown {
  if (at.path.length > MOST_LEVELS) throw refused({ ...at, path: at.path.slice(0, 3) }, "nested too deeply");
  const inside = (key: string | number): Place => ({ ...at, path: [...at.path, key] });
  if (Array.isArray(value)) return Array.from(value, (item, index) => plainCopy(item, inside(index)));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw refused(at, "not a plain object");
  const fields = Object.entries(value).filter(([key, field]) => field !== undefined && key !== "__proto__");
  return Object.fromEntries(fields.map(([key, field]) => [key, plainCopy(field, inside(key))]));
}

function refused({ tool, path }: Place, what: string): Error {
  return errors.AGENT_CALL_ARGUMENTS({ tool, where: path.join("."), what });
}

/** Returns the JSON form of validated arguments; undefined when the schema made values that JSON cannot hold. */
export function jsonForm(args: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(args)) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the fields in which `ran` differs from the arguments that the model wrote, or undefined when none does. */
export function argumentChange(written: unknown, ran: unknown): ArgumentChange | undefined {
  const [from, to] = [fieldsOf(written), fieldsOf(ran)];
  const set = Object.entries(to).filter(
    ([key, value]) => !Object.hasOwn(from, key) || !isDeepStrictEqual(from[key], value),
  );
  const unset = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  if (set.length === 0 && unset.length === 0) return undefined;
  return { ...(set.length > 0 && { set: Object.fromEntries(set) }), ...(unset.length > 0 && { unset }) };
}

function fieldsOf(args: unknown): Record<string, unknown> {
  return typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
}
