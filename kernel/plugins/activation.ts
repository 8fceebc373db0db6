import type { BaseContext } from "../base-context.ts";
import type { Activated } from "../contribution.ts";
import { errors } from "../errors.ts";
import type { Hints } from "../kernel.ts";
import type { Dispose } from "../types.ts";

/** Fields that are read before `activate` runs, so `activate` cannot return them. */
const MANIFEST = ["id", "name", "version", "scope", "needs", "provides", "replaces", "config", "events", "projections"];

/** Finds the undo function in the value that `activate` returned. Called before validation, so that it runs even if validation fails. */
export function disposeOf(returned: unknown): Dispose | undefined {
  const dispose: unknown =
    typeof returned === "function" ? returned : (returned as Activated | null | undefined)?.dispose;
  return typeof dispose === "function" ? () => dispose.call(returned) : undefined;
}

/** Returns the contributions that `activate` returned. Throws PLUGIN_RETURNED if they are not valid contributions. */
export function contributionsOf(plugin: string, returned: unknown, hints: Hints | undefined): Activated | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  const what = Array.isArray(returned) ? "a list" : faultsOf(returned, hints);
  if (what !== undefined) throw errors.PLUGIN_RETURNED({ plugin, what });
  return returned as Activated;
}

/** Returns an object with the one contribution that a running plugin adds. Throws PLUGIN_CONTRIBUTES if it is invalid. */
export function lateContribution(plugin: string, name: string, value: unknown, hints: Hints | undefined): Activated {
  const contribution = { [name]: value };
  const what =
    value === undefined || value === null
      ? `"${name}" without a value`
      : name === "dispose"
        ? '"dispose"; register it with ctx.onDispose()'
        : faultsOf(contribution, hints);
  if (what !== undefined) throw errors.PLUGIN_CONTRIBUTES({ plugin, what });
  return contribution;
}

function faultsOf(contributions: object, hints: Hints | undefined): string | undefined {
  const faults = [...faultyNames(contributions, hints), ...faultyMembers(contributions)];
  return faults.length > 0 ? faults.join(", and ") : undefined;
}

/** Describes each name that `activate` must not return, or that is probably misspelt. */
function faultyNames(returned: object, hints: Hints | undefined): string[] {
  const faults: string[] = [];
  for (const name in returned) {
    const near = hints?.contribution?.(name);
    if (MANIFEST.includes(name) || name.endsWith("activate"))
      faults.push(`"${name}", which is read before activate() runs; declare it on the plugin itself`);
    else if (near !== undefined) faults.push(`"${name}", which is not a known contribution (did you mean "${near}"?)`);
  }
  return faults;
}

/** Describes `dispose`, `onEvent` and `hooks`, if they are present but have a wrong type. */
function faultyMembers(returned: object): string[] {
  const { dispose, hooks, onEvent } = returned as Record<string, unknown>;
  const isFunction = (value: unknown) => value === undefined || typeof value === "function";
  const isTable = typeof hooks === "object" && hooks !== null && !Array.isArray(hooks);
  return [
    ...(isFunction(dispose) ? [] : ['a "dispose" that is not a function']),
    ...(isFunction(onEvent) ? [] : ['an "onEvent" that is not a function']),
    ...(isFunction(hooks) || isTable ? [] : ['"hooks" that are neither an object nor a function']),
  ];
}

/** Reads one contribution from a plugin, where it must be a function, or from the object that its `activate` returned. */
export function contributed(
  name: string,
  source: object,
  { context, isManifest }: { context: BaseContext; isManifest: boolean },
): unknown {
  const given = (source as Record<string, unknown>)[name];
  if (isManifest && typeof given !== "function") throw errors.PLUGIN_CONTRIBUTION({ name, wanted: "a function" });
  const value: unknown = typeof given === "function" ? given.call(source, context) : given;
  if (typeof (value as { then?: unknown } | null | undefined)?.then === "function")
    throw errors.PLUGIN_ASYNC_CONTRIBUTION({ name });
  return value;
}
