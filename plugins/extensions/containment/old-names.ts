import { renamed } from "@scorel/kernel/containment";
import { errors } from "../errors.ts";
import type { ContainedPlugin } from "./contained-plugin.ts";

/** Returns a function that wraps services, so that the extension gets a notice when it uses a member by its old name. */
export function tellingOldNames(contained: ContainedPlugin): <S>(service: S, name: string) => S {
  const views = new WeakMap<object, object>();
  const told = new Set<string>();
  const tell = (service: string, member: string, now: string) => {
    const old = `${service}.${member}`;
    if (told.has(old)) return;
    told.add(old);
    contained.report("", errors.PLUGIN_OLD_NAME({ plugin: contained.id, old, now }));
  };
  return (service, name) => {
    if (!isRenamed(service)) return service;
    const now = service[renamed];
    const view =
      views.get(service) ??
      new Proxy(service, {
        get(target, member, receiver) {
          if (typeof member === "string" && Object.hasOwn(now, member)) tell(name, member, now[member] as string);
          return Reflect.get(target, member, receiver);
        },
      });
    views.set(service, view);
    return view as typeof service;
  };
}

/** Whether a service has a table of its old names. */
function isRenamed(service: unknown): service is { [renamed]: Readonly<Record<string, string>> } {
  return typeof service === "object" && service !== null && renamed in service;
}
