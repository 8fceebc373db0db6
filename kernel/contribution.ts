import type { Tap } from "./hook.ts";
import type { Awaitable, ContributionName, Contributions, Dispose, HookName, Hooks } from "./types.ts";

export type HookLayers = { [H in HookName]?: Hooks[H] | Tap<Hooks[H]> };
/**
 * Contributions that a plugin adds while it runs, each as a value or as a function that is called whenever the contribution is
 * collected. It is added to the plugin's own contributions with the same name.
 */
export type Contributed = {
  [K in ContributionName]?: Contributions[K] | (() => Contributions[K]);
} & {
  hooks?: HookLayers | (() => HookLayers);
  onEvent?(event: any): Awaitable<void>;
};
/** The contributions that `activate` may return. */
export type Activated = Contributed & {
  /** Undoes the work of `activate` when the plugin stops. */
  dispose?: Dispose;
};

/**
 * Validates a contribution; throws if it is invalid. May return a replacement without the invalid parts, and report each of
 * those with `flaw`, so that the valid parts can still be used. `replaces` is the field of the plugin.
 */
export type CheckContribution = (
  value: unknown,
  plugin: string,
  flaw: (thrown: unknown) => void,
  replaces: readonly string[],
) => unknown;

/** A contribution with the id of its plugin. */
export interface Collected<V> {
  plugin: string;
  value: V;
  /** True if the plugin's failures are contained, as those of users' extensions are. */
  contained?: true;
}
