import { isDeepStrictEqual } from "node:util";
import type { ArgumentChange } from "@scorel/messages/contract";

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
