import { isDeepStrictEqual } from "node:util";
import type { ArgumentChange } from "@scorel/messages/contract";

/** How the arguments that a tool got differ from those that the model wrote; undefined when they do not. */
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
