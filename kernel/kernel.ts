import type { Containment } from "./containment.ts";
import type { AnyPlugin, CheckContribution, Collected, Listener, SubscribeOptions } from "./plugin.ts";
import type { Session } from "./session.ts";
import type { Problem, Store } from "./store.ts";
import type { ContributionName, Contributions, Dispose, Logger, ServiceName, Services } from "./types.ts";

/** A plugin with what the layers say about it, ready to start. */
export interface KernelEntry {
  plugin: AnyPlugin;
  /** The table `[id]`, unchecked; the plugin's schema parses it. */
  config?: unknown;
  /** Who asked for it, for messages: `presets/coding.toml:4`. */
  origin: string;
  /** Contains the plugin's failures. If a contained plugin fails to start, the others run without it. */
  contained?: Containment;
  /** When it fails to start, the rest runs without it, although nothing contains it. */
  optional?: boolean;
  /** Although contained: without it nothing starts. */
  required?: boolean;
}

/** Whether the rest runs without a plugin that cannot start. */
export function mayFail({ contained, optional, required }: KernelEntry): boolean {
  return (contained !== undefined || optional === true) && !required;
}
/** Advice that error messages give about names that no plugin of this kernel knows. */
export interface Hints {
  service(name: string): string | undefined;
  hook(name: string): string | undefined;
  /** The name that was meant by a misspelt name of a contribution. */
  contribution?(name: string): string | undefined;
}
export interface KernelOptions {
  entries: readonly KernelEntry[];
  store: Store;
  /** Kernel whose services, event types and contributions are visible here. */
  parent?: Kernel;
  /** Services given from outside, as if a plugin had provided them. */
  services?: Partial<Services>;
  logger?: Logger;
  /** Default: the parent's. */
  hints?: Hints;
  clientId?: string;
  /** Milliseconds since the epoch. Default: Date.now. */
  now?(): number;
  /** Default: newId. */
  newId?(): string;
}
/** A failure that harmed nobody else. */
export interface Failure {
  plugin: string;
  /** The hook, listener, contribution or lifecycle step. */
  where: string;
  code: string;
  message: string;
  /** For a contained plugin, the file and line from the stack, or the file alone if the stack does not say. */
  at?: string;
}
export interface Kernel {
  readonly session: Session;
  /** Damage found in the log when it was opened. */
  readonly problems: readonly Problem[];
  /** Why nothing can be appended; absent when it can. */
  readonly readOnly: string | undefined;
  find<N extends ServiceName>(name: N): Services[N] | undefined;
  collect<N extends ContributionName>(name: N, check?: CheckContribution): Collected<Awaited<Contributions[N]>>[];
  subscribe(listener: Listener, options?: SubscribeOptions): Dispose;
  /** Resolves when all announced so far has been heard by every subscriber. */
  drained(): Promise<void>;
  /** Counts registrations by kind and name. Loading and unloading a plugin leaves the counts unchanged. */
  census(): Record<string, number>;
  readonly failures: readonly Failure[];
  /** The plugins that run, in the order in which they started, with the milliseconds that took. */
  readonly started: readonly { plugin: string; ms: number }[];
  /** Starts one more plugin; throws the coded error of what failed, everything undone. */
  load(entry: KernelEntry): Promise<void>;
  /** Stops a plugin, its users first, after the running work of them all has ended. */
  unload(id: string): Promise<void>;
  /** Ends what runs, here and in the kernels below; then stops all plugins in reverse, syncs and closes the log. */
  stop(): Promise<void>;
}
