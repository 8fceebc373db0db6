import type { AnyPlugin, KernelEntry } from "@scorel/kernel";
import { loadShipped, shipped } from "../catalogue.ts";
import { errors } from "../errors.ts";

type Config = Readonly<Record<string, unknown>>;

/** Scorel's own plugins of a session under test. */
export async function shippedEntries(ids: readonly string[], config: Config = {}): Promise<KernelEntry[]> {
  const unknown = ids.filter((id) => !shipped(id));
  if (unknown.length > 0) throw errors.TESTING_PLUGIN({ ids: unknown.join(", ") });
  const plugins = await loadShipped(ids);
  return [...plugins].map(([id, plugin]) => ({ plugin, config: config[id], origin: "the test" }));
}

/** The extensions under test of one scope, contained as in any session. */
export async function extensionEntries(
  plugins: readonly AnyPlugin[],
  scope: "host" | "session",
  config: Config = {},
): Promise<KernelEntry[]> {
  const [{ contain }, { asExtension }] = await Promise.all([
    import("@scorel/extensions/contain"),
    import("@scorel/extensions/load"),
  ]);
  return plugins
    .filter((plugin) => (plugin.scope ?? "session") === scope)
    .map((plugin) => ({ ...contain(asExtension(plugin), { path: "the test" }), config: config[plugin.id] }));
}

export function hostHeader() {
  return { version: 1, sessionId: "host", deviceId: "test", createdAt: Date.now(), epoch: "test", meta: {} };
}
