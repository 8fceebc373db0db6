import type { AnyPlugin, BaseContext, KernelEntry } from "@scorel/kernel";
import type { Containment } from "@scorel/kernel/containment";
import { within } from "@scorel/kit/values/within";
import { contributionFlaws } from "../checks/contribution-flaws.ts";
import { errors } from "../errors.ts";
import { ContainedPlugin, type Kernel, type Origin } from "./contained-plugin.ts";
import { containedContext } from "./context.ts";
import { containedEvents, containedProjections } from "./definitions.ts";
import { beginRunning } from "./leftovers.ts";
import { running } from "./running.ts";
import { containedTaps } from "./taps.ts";

/** Maximum milliseconds for activate(), so that an extension that never starts does not block the session. */
const START_LIMIT_MS = 10_000;

/**
 * Wraps an extension so that its mistakes harm neither the process nor other plugins: its layers get copies of their input,
 * a part that fails three times is switched off, its events are limited, and errors name the line.
 */
export function contain(plugin: AnyPlugin, origin: Origin): KernelEntry & { contained: Containment } {
  const contained = new Container(plugin.id, origin);
  return { plugin: wrapped(plugin, contained), origin: origin.path, contained };
}

class Container extends ContainedPlugin implements Containment {
  began(sessionId: string, report: Kernel["report"]): void {
    this.kernel = { sessionId, report };
    running.add(this);
  }

  context(context: BaseContext): BaseContext {
    this.forgetEarlierRun();
    return containedContext(context, this);
  }

  flaws(name: string, value: unknown): Error[] {
    return contributionFlaws(name, value).map((reason) => errors.EXTENSION_CONTRIBUTION({ reason }));
  }

  ended(): void {
    running.delete(this);
  }
}

function wrapped(plugin: AnyPlugin, contained: ContainedPlugin): AnyPlugin {
  const { id, hooks, onEvent, events, projections } = plugin;
  let end: (() => string[]) | undefined;
  return {
    ...plugin,
    ...(events && { events: containedEvents(events) }),
    ...(projections && { projections: containedProjections(projections, contained) }),
    ...(hooks && { hooks: (ctx) => containedTaps(hooks.call(plugin, ctx), contained) }),
    ...(onEvent && { onEvent: containedOnEvent(plugin, contained) }),
    activate(ctx) {
      contained.isRunning = true;
      end = beginRunning(id);
      const starting: unknown = contained.run("activate", () => plugin.activate?.(ctx));
      return within(START_LIMIT_MS, starting as ReturnType<NonNullable<AnyPlugin["activate"]>>, () =>
        errors.PLUGIN_START_LIMIT({ plugin: id, limit: START_LIMIT_MS }),
      );
    },
    async deactivate() {
      contained.isRunning = false;
      try {
        await contained.run("deactivate", () => plugin.deactivate?.());
      } catch (thrown) {
        end?.();
        throw thrown;
      }
      const left = end?.() ?? [];
      if (left.length > 0) throw errors.EXTENSION_LEFT({ what: left.join(", ") });
    },
  };
}

function containedOnEvent(plugin: AnyPlugin, contained: ContainedPlugin): NonNullable<AnyPlugin["onEvent"]> {
  const onEvent: NonNullable<AnyPlugin["onEvent"]> = (event, ctx) =>
    contained.isOff(onEvent) ? undefined : contained.run(`onEvent ${event.type}`, () => plugin.onEvent?.(event, ctx));
  return onEvent;
}
