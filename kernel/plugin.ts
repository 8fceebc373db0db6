import type { z } from "zod";
import type { PluginContext } from "./base-context.ts";
import type { Activated, HookLayers } from "./contribution.ts";
import type {
  AnyEventDefinition,
  Awaitable,
  ContributionName,
  Contributions,
  Dispose,
  ProjectionDefinition,
  ServiceName,
} from "./types.ts";

interface PluginShape<Ctx, C, N> {
  /** The plugin's name for configuration, reports and commands: lower-case letters, digits and dashes. */
  id: string;
  /** The plugin's name, as people see it. */
  name: string;
  /** A semantic version, which lists and reports show. */
  version: string;
  /** `host`: one per process. `session` (default): one per open session. */
  scope?: "host" | "session";
  /** The services that the plugin cannot run without. Their providers start first, and the services are members of `ctx`. */
  needs?: readonly N[];
  /** The services that `activate` publishes with `ctx.provide`. */
  provides?: readonly ServiceName[];
  /** Names of other plugins' tools and commands that this plugin's tools and commands of the same name replace. */
  replaces?: readonly string[];
  /** A zod schema for the table `[id]` of config.toml. */
  config?: C;
  /** The event types that the plugin adds, by name. */
  events?: Record<string, AnyEventDefinition>;
  /** The projections that the plugin adds, by name. */
  projections?: Record<string, ProjectionDefinition>;
  /**
   * Runs when the plugin starts, before its other functions. May return a function that undoes its work, or contributions, which
   * can then use its local variables.
   */
  activate?(ctx: Ctx): Awaitable<void | Dispose | Activated>;
  /** Runs when the plugin stops, after everything that it registered was removed. */
  deactivate?(): Awaitable<void>;
  /** Layers on native hooks, by the name of the hook. */
  hooks?(ctx: Ctx): HookLayers;
  /** Called with every event of the session, persistent and transient, in seq order. */
  onEvent?(event: any, ctx: Ctx): Awaitable<void>;
}
type Contributing<Ctx> = { [K in ContributionName]?: (ctx: Ctx) => Contributions[K] };
type ConfigOf<C> = C extends z.ZodType ? z.output<C> : Readonly<Record<string, unknown>>;

/** A plugin as its author writes it. Every field but `id`, `name` and `version` is optional. */
export type Plugin<C = undefined, N extends ServiceName = never> = PluginShape<PluginContext<ConfigOf<C>, N>, C, N> &
  Contributing<PluginContext<ConfigOf<C>, N>>;

/** A plugin of any type, for lists and loaders. Its types were checked where it was defined. */
export interface AnyPlugin extends PluginShape<any, z.ZodType | undefined, ServiceName> {}

/**
 * Defines a plugin. Infers the type of `ctx` from `needs` and `config`, and returns a type that lists of plugins can hold.
 *
 * @example
 * export default definePlugin({ id: "hello", name: "Hello", version: "1.0.0", needs: ["agent"] })
 */
export function definePlugin<C extends z.ZodType | undefined = undefined, N extends ServiceName = never>(
  plugin: Plugin<C, N>,
): AnyPlugin {
  return plugin as unknown as AnyPlugin;
}
