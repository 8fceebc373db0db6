import type { Attempt } from "./base-context.ts";
import type { Containment } from "./containment.ts";
import type { CheckContribution, Collected } from "./contribution.ts";
import type { Listener, SubscribeOptions } from "./hook.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { Session } from "./session.ts";
import type { Problem, Store } from "./store.ts";
import type { ContributionName, Contributions, Dispose, InFlight, Logger, ServiceName, Services } from "./types.ts";

/** A plugin to start, with its configuration and origin. */
export interface KernelEntry {
  plugin: AnyPlugin;
  /** The plugin's table `[id]` in the configuration. The plugin's schema validates it. */
  config?: unknown;
  /** Where the plugin was requested, for messages: `presets/coding.toml:4`. */
  origin: string;
  /** Contains the plugin's failures. If a contained plugin fails to start, the others run without it. */
  contained?: Containment;
  /** If the plugin is not contained and fails to start, the others run without it. */
  optional?: boolean;
  /** If the plugin fails to start, the kernel does not start either, even if the plugin is contained. */
  required?: boolean;
}

/** Whether the kernel starts without this plugin if the plugin cannot start. */
export function mayFail({ contained, optional, required }: KernelEntry): boolean {
  return (contained !== undefined || optional === true) && !required;
}
/** Advice for error messages about unknown names. */
export interface Hints {
  service(name: string): string | undefined;
  hook(name: string): string | undefined;
  /** The contribution whose name is closest to a misspelt one. */
  contribution?(name: string): string | undefined;
  /** The hints for child kernels. Default: the same. */
  child?: Hints;
}
/** Options of `createKernel`. */
export interface KernelOptions {
  entries: readonly KernelEntry[];
  store: Store;
  /** The kernel whose services, event types and contributions are also visible in this one. */
  parent?: Kernel;
  /** Services that are provided by the caller instead of a plugin. */
  services?: Partial<Services>;
  logger?: Logger;
  /** Removes keys from what the kernel logs and from the messages of failures, which become events. */
  redact?(text: string, kernel: Pick<Kernel, "find">): string;
  /** Default: the parent kernel's hints. */
  hints?: Hints;
  clientId?: string;
  /** Milliseconds since the epoch. Default: Date.now. */
  now?(): number;
  /** Default: newId. */
  newId?(): string;
}
/** A plugin failure that did not stop the kernel. */
export interface Failure {
  plugin: string;
  /** The hook, listener, contribution or lifecycle step that failed. */
  where: string;
  code: string;
  message: string;
  /** For a contained plugin, the file and line from the stack, or only the file if the stack has no line. */
  at?: string;
}
/** A running kernel: its log, and its plugins with their services, hooks and contributions. */
export interface Kernel {
  readonly session: Session;
  /** Damage found in the log when it was opened. */
  readonly problems: readonly Problem[];
  /** Why the log is read-only. Absent if it can be written. */
  readonly readOnly: string | undefined;
  find<N extends ServiceName>(name: N): Services[N] | undefined;
  /** See `collect` of BaseContext. */
  collect<N extends ContributionName>(
    name: N,
    check?: CheckContribution,
    failed?: (plugin: string) => void,
  ): Collected<Awaited<Contributions[N]>>[];
  /** See `onContributed` of BaseContext. */
  onContributed(name: ContributionName, changed: () => void): Dispose;
  /** See `attempt` of BaseContext, for the plugins of this kernel and its parent. */
  attempt<T>(attempt: Attempt<T>, work: () => T): T;
  subscribe(listener: Listener, options?: SubscribeOptions): Dispose;
  /** The seq of the latest event that subscribers got. Lower than `session.seq` while durable events are being synced to disk. */
  readonly announced: number;
  /** The `inFlight` field of an event type's definition. */
  inFlight(type: string): InFlight | undefined;
  /** Resolves when every subscriber has processed all events announced so far. */
  drained(): Promise<void>;
  /** Counts registrations by kind and name. Loading and unloading a plugin leaves the counts unchanged. */
  census(): Record<string, number>;
  readonly failures: readonly Failure[];
  /** The running plugins in start order, with their start times in milliseconds. */
  readonly started: readonly { plugin: string; ms: number }[];
  /** Starts one more plugin. If it fails, undoes everything and throws the coded error. */
  load(entry: KernelEntry): Promise<void>;
  /** Stops a plugin after its running work has ended. Plugins that need its services are stopped first. */
  unload(id: string): Promise<void>;
  /** Ends running work in this kernel and its children, stops all plugins in reverse order, then syncs and closes the log. */
  stop(): Promise<void>;
}
