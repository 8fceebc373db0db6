import { nearest } from "@scorel/kit/values/nearest";
import { errors } from "../errors.ts";
import type { Level } from "../hook.ts";

/** The tapable stage of each level. Lower stages run first. */
export const STAGES: Record<Level, number> = { early: -1, normal: 0, late: 1 };

/** A layer in the form that chains use. */
export interface Layer {
  plugin: string;
  handler: (input: unknown, signal: AbortSignal) => unknown;
  level?: Level;
  critical?: boolean;
  limit?: number | false;
}
/** Converts a layer from the form its author wrote: a function, or an object with a handler and options. */
export function asLayer(plugin: string, hook: string, tap: unknown): Layer {
  if (typeof tap === "function") return { plugin, handler: tap as Layer["handler"] };
  const flaws = flawsOf(tap);
  if (flaws.length > 0) throw errors.HOOK_LAYER({ plugin, hook, flaws });
  return { plugin, ...(tap as Omit<Layer, "plugin">) };
}

/** A timer with a longer delay would fire at once. */
const MAX_LIMIT_MS = 2 ** 31 - 1;

/** The fields of a layer that is written as an object. */
export const TAP_FIELDS = ["handler", "level", "critical", "limit"];

/** Lists everything wrong with a layer object. Checked strictly, because a misread layer could leave an action unguarded. */
function flawsOf(tap: unknown): string[] {
  if (typeof tap !== "object" || tap === null) return ["it is neither a function nor { handler: a function }"];
  const { handler, level, critical, limit } = tap as Record<string, unknown>;
  const unknownKeys = Object.keys(tap).filter((key) => !TAP_FIELDS.includes(key));
  const flaws = unknownKeys.map((key) => {
    const near = nearest(key, TAP_FIELDS);
    return `it has no field "${key}"${near === undefined ? ` (there are ${TAP_FIELDS.join(", ")})` : `: did you mean "${near}"?`}`;
  });
  if (typeof handler !== "function") flaws.push("its handler is not a function");
  if (level !== undefined && !Object.hasOwn(STAGES, level as string))
    flaws.push('its level is not "early", "normal" or "late"');
  if (critical !== undefined && typeof critical !== "boolean") flaws.push("its critical is neither true nor false");
  if (limit !== undefined && limit !== false && !(typeof limit === "number" && limit >= 0 && limit <= MAX_LIMIT_MS))
    flaws.push(`its limit is neither a number of milliseconds up to ${MAX_LIMIT_MS} nor false`);
  return flaws;
}

/** The result of `stop`. */
export class Stop {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
/** Return this from a layer to use `value` as the result and skip the layers after it. */
export function stop<T>(value?: T): T {
  return new Stop(value) as unknown as T;
}
