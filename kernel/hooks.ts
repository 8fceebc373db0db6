import { forgetActivity, keepActivity } from "./activity.ts";
import { Chain, type ChainOptions, type Layer } from "./chain.ts";
import { errors } from "./errors.ts";
import type { Failures } from "./failures.ts";
import type { Hints } from "./kernel.ts";
import type { Scope } from "./scope.ts";
import type { Session } from "./session.ts";
import { traceLayer } from "./trace.ts";
import type { Dispose } from "./types.ts";
import { beginWork } from "./work.ts";

/** What declares a native hook. */
export type HookDefinition = Pick<ChainOptions, "name" | "mode" | "check">;

/** The native hooks of one kernel, each a chain of layers; what a plugin adds ends with its scope. */
export class HookTable {
  private readonly session: Session;
  private readonly isolation: Failures;
  private readonly hints: Hints | undefined;
  private readonly chains = new Map<string, Chain>();

  constructor(session: Session, isolation: Failures, hints?: Hints) {
    this.hints = hints;
    this.session = session;
    this.isolation = isolation;
  }

  /** By hook, how many layers it has. */
  *sizes(): Iterable<[hook: string, layers: number]> {
    for (const [name, { size }] of this.chains) yield [name, size];
  }

  /** Throws HOOK_DUPLICATE. */
  define(plugin: string, scope: Scope, definition: HookDefinition): Chain {
    const { session, isolation } = this;
    const hook = definition.name;
    if (this.chains.has(hook)) throw errors.HOOK_DUPLICATE({ hook, plugin });
    const chain = new Chain({
      ...definition,
      report: (failing, where, thrown) => isolation.report(failing, where, thrown),
      trace: (tapped) => traceLayer(session.id, hook, tapped),
      waits: (tapped, signal) => beginWork(session, tapped, signal),
    });
    this.chains.set(hook, chain);
    scope.add(() => void this.chains.delete(hook));
    return chain;
  }

  /** Adds a layer; throws HOOK_UNKNOWN. */
  tap(scope: Scope, hook: string, layer: Layer): Dispose {
    const chain = this.chains.get(hook);
    if (!chain) {
      const advice = this.hints?.hook(hook);
      throw errors.HOOK_UNKNOWN({ hook, plugin: layer.plugin, ...(advice !== undefined && { advice }) });
    }
    const { plugin } = layer;
    const activity = keepActivity(plugin, hook, this.session.id);
    const remove = chain.add({ ...layer, activity, expendable: this.isolation.isExpendable(plugin) });
    return scope.add(() => {
      forgetActivity(activity);
      remove();
      if (layer.critical && this.session.stopping.aborted) chain.add(denial(hook, plugin));
    });
  }
}

/** Stands for a guard that has been unloaded with its session: denies whatever is still asked. */
function denial(hook: string, plugin: string): Layer {
  const handler = () => {
    throw errors.HOOK_STOPPING({ hook, plugin });
  };
  return { plugin, handler, critical: true };
}
