import { errors } from "./errors.ts";
import type { Hints } from "./kernel.ts";
import type { Activated, BaseContext } from "./plugin.ts";
import type { Dispose } from "./types.ts";

/** Fields that are read before `activate` runs, so `activate` cannot return them. */
const MANIFEST = ["id", "name", "version", "scope", "needs", "provides", "config", "events", "projections"];

/** Finds the undo function in the value that `activate` returned. Called before validation, so that it runs even if validation fails. */
export function disposeOf(returned: unknown): Dispose | undefined {
  const dispose: unknown =
    typeof returned === "function" ? returned : (returned as Activated | null | undefined)?.dispose;
  return typeof dispose === "function" ? () => dispose.call(returned) : undefined;
}

/** Returns the contributions that `activate` returned. Throws PLUGIN_RETURNED if they are not valid contributions. */
export function contributionsOf(plugin: string, returned: unknown, hints: Hints | undefined): Activated | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  const refuse = (what: string) => errors.PLUGIN_RETURNED({ plugin, what });
  if (Array.isArray(returned)) throw refuse("a list");
  for (const name in returned) {
    if (MANIFEST.includes(name) || name.endsWith("activate"))
      throw refuse(`"${name}", which is read before activate() runs; declare it on the plugin itself`);
    const near = hints?.contribution?.(name);
    if (near !== undefined) throw refuse(`"${name}", which is not a known contribution (did you mean "${near}"?)`);
  }
  const { dispose, hooks, onEvent } = returned as Record<string, unknown>;
  if (dispose !== undefined && typeof dispose !== "function") throw refuse('a "dispose" that is not a function');
  if (onEvent !== undefined && typeof onEvent !== "function") throw refuse('an "onEvent" that is not a function');
  if (
    hooks !== undefined &&
    typeof hooks !== "function" &&
    (typeof hooks !== "object" || !hooks || Array.isArray(hooks))
  )
    throw refuse('"hooks" that are neither an object nor a function');
  return returned as Activated;
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
