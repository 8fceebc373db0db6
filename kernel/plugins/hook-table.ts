import type { Failures } from "../calls/failures.ts";
import type { PendingCalls } from "../calls/pending-calls.ts";
import { traceLayer } from "../calls/trace.ts";
import { errors } from "../errors.ts";
import { Chain } from "../hooks/chain.ts";
import type { Layer } from "../hooks/layer.ts";
import type { ChainOptions } from "../hooks/layer-runner.ts";
import type { Hints } from "../kernel.ts";
import type { Session } from "../session.ts";
import type { Dispose } from "../types.ts";
import type { Scope } from "./scope.ts";

/** The declaration of a native hook. */
export type HookDefinition = Pick<ChainOptions, "name" | "mode" | "check">;

/** The native hooks of one kernel, each a chain of layers. A plugin's hooks and layers are removed with its scope. */
export class HookTable {
  private readonly session: Session;
  private readonly failures: Failures;
  private readonly pending: PendingCalls;
  private readonly hints: Hints | undefined;
  private readonly chains = new Map<string, Chain>();

  constructor(session: Session, failures: Failures, pending: PendingCalls, hints?: Hints) {
    this.hints = hints;
    this.pending = pending;
    this.session = session;
    this.failures = failures;
  }

  /** The number of layers on each hook. */
  *sizes(): Iterable<[hook: string, layers: number]> {
    for (const [name, { size }] of this.chains) yield [name, size];
  }

  /** Declares a hook. Throws HOOK_DUPLICATE if it exists already. */
  define(plugin: string, scope: Scope, definition: HookDefinition): Chain {
    const { session, failures, pending } = this;
    const hook = definition.name;
    if (this.chains.has(hook)) throw errors.HOOK_DUPLICATE({ hook, plugin });
    const chain = new Chain({
      ...definition,
      report: (layer, thrown) =>
        failures.report(layer.plugin, hook, thrown, layer.critical ? {} : { of: layer.handler }),
      trace: (tapped) => traceLayer(session.id, hook, tapped),
      pending,
    });
    this.chains.set(hook, chain);
    scope.add(() => void this.chains.delete(hook));
    return chain;
  }

  /** Adds a layer to a hook. Throws HOOK_UNKNOWN if no plugin declared the hook. */
  tap(scope: Scope, hook: string, layer: Layer): Dispose {
    const chain = this.chains.get(hook);
    if (!chain) {
      const advice = this.hints?.hook(hook);
      throw errors.HOOK_UNKNOWN({ hook, plugin: layer.plugin, ...(advice !== undefined && { advice }) });
    }
    const { plugin } = layer;
    const remove = chain.add(layer);
    return scope.add(() => {
      remove();
      if (layer.critical && this.session.stopping.aborted) chain.add(denial(hook, plugin));
    });
  }
}

/** Replaces a guard that is unloaded while the session stops, and denies every action. */
function denial(hook: string, plugin: string): Layer {
  const handler = () => {
    throw errors.HOOK_STOPPING({ hook, plugin });
  };
  return { plugin, handler, critical: true };
}
