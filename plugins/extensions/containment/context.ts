import type { BaseContext } from "@scorel/kernel";
import { caught } from "@scorel/kit/values/caught";
import { errors } from "../errors.ts";
import { Allowance } from "./allowance.ts";
import type { ContainedPlugin } from "./contained-plugin.ts";
import { tellingOldNames } from "./old-names.ts";
import { containedSession } from "./session.ts";
import { containedTap } from "./taps.ts";

type Changed = Pick<BaseContext, "session" | "find" | "provide" | "hook" | "subscribe" | "spend" | "isolate">;

/** The context of an extension, which counts, copies and attributes what the extension does through it. */
export function containedContext(context: BaseContext, contained: ContainedPlugin): BaseContext {
  const allowance = new Allowance(contained);
  const telling = tellingOldNames(contained);
  const changed: Changed = {
    session: containedSession(context, allowance),
    find: (name) => telling(context.find(name), name),
    provide: (name, service, options) => {
      contained.origin.checkService?.(name, service);
      context.provide(name, service, options);
    },
    hook: (name, tap) => context.hook(name, containedTap(name, tap, contained) as typeof tap),
    subscribe: (listener, options) => context.subscribe(contained.listener(listener), options),
    spend: (where, cost, size) => allowance.spend(where, cost, size),
    isolate: (where, work) => {
      const part = {};
      const failed = (thrown: unknown) => {
        contained.report(where, thrown);
        contained.failed(part, where);
      };
      return (...given) =>
        contained.isOff(part) ? undefined : caught(() => contained.run(where, () => work(...given)), failed);
    },
  };
  // Services are getters, so copy the descriptors without reading them.
  const members = { ...Object.getOwnPropertyDescriptors(context), ...Object.getOwnPropertyDescriptors(changed) };
  return namingNeeds(Object.defineProperties({}, members) as BaseContext, telling);
}

const listening = 'the field "onEvent" of the plugin, or ctx.subscribe(listener)';
/** Names that other programs use for members of contexts, with advice. */
const elsewhere: Readonly<Record<string, string>> = { on: listening, once: listening };

/** Makes reading a service that is missing in `needs` an error instead of `undefined`. `telling` creates the view of other services. */
function namingNeeds(context: BaseContext, telling: ReturnType<typeof tellingOldNames>): BaseContext {
  return new Proxy(context, {
    get(target, key) {
      if (typeof key === "string" && !(key in target) && target.find(key as never) !== undefined)
        throw errors.PLUGIN_UNNAMED_NEED({ plugin: target.plugin, service: key });
      if (typeof key === "string" && !(key in target) && Object.hasOwn(elsewhere, key))
        throw errors.PLUGIN_NO_MEMBER({ plugin: target.plugin, member: key, instead: elsewhere[key] as string });
      const value: unknown = Reflect.get(target, key);
      return typeof key === "string" ? telling(value, key) : value;
    },
  });
}
