import { isTooWide, layersOf } from "@scorel/kit/schema/layering";
import { lockerOf, lockOn } from "@scorel/kit/session/locks";
import type { SessionOption, SessionOptions } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import type { SessionPlugins } from "./open-session.ts";

/** Throws HOST_OPTION_LOCKED for an option that allows more than a locked setting. */
export function assertWithinLocks(
  options: SessionOptions,
  known: readonly SessionOption[],
  { entries, locks = [] }: Pick<SessionPlugins, "entries" | "locks">,
): void {
  for (const { key, setting } of known) {
    const value = (options as Readonly<Record<string, unknown>>)[key];
    if (value === undefined || setting === undefined) continue;
    const lock = lockOn(setting, locks);
    const [id, ...path] = setting.split(".");
    const entry = entries.find(({ plugin }) => plugin.id === id);
    if (!lock || !entry) continue;
    const configured = valueAt(entry.config, path);
    if (isWider(entry.plugin.config, path, value, configured))
      throw errors.HOST_OPTION_LOCKED({ option: key, value, setting, by: lockerOf(lock), configured });
  }
}

function isWider(schema: Parameters<typeof isTooWide>[0], path: string[], value: unknown, configured: unknown) {
  return layersOf(schema, path) === "narrow"
    ? isTooWide(schema, path, value, configured)
    : JSON.stringify(value) !== JSON.stringify(configured);
}

function valueAt(table: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const inner = Object(value) as Record<string, unknown>;
    return Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, table);
}
