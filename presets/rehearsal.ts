import { dirname } from "node:path";
import type { Composition } from "@scorel/host/contract";
import { type AnyPlugin, type BaseContext, type HookName, type KernelEntry, messageOf } from "@scorel/kernel";

/** What was seen of one plugin while a session was opened. */
export interface Seen {
  plugin: AnyPlugin;
  origin: string;
  /** Milliseconds that `activate` took; absent while it has not run. */
  startMs?: number;
  hooks: Set<string>;
  /** Why it did not start. */
  failure?: string;
}

/** A composition that can be watched: what a session opened meanwhile was made of, and how each plugin started. */
export interface Rehearsal {
  composition: Composition;
  watch(open: () => Promise<unknown>): Promise<ReadonlyMap<string, Seen>>;
}

export function createRehearsal(real: Composition): Rehearsal {
  let watching: Map<string, Seen> | undefined;
  return {
    composition: {
      ...real,
      async sessionPlugins(cwd) {
        const plugins = await real.sessionPlugins(cwd);
        const seen = watching;
        if (!seen) return plugins;
        return { ...plugins, entries: plugins.entries.map((entry) => watched(entry, seen)) };
      },
    },
    async watch(open) {
      const seen = new Map<string, Seen>();
      watching = seen;
      try {
        await open();
      } finally {
        watching = undefined;
      }
      return seen;
    },
  };
}

function watched(entry: KernelEntry, all: Map<string, Seen>): KernelEntry {
  const { plugin, origin } = entry;
  const seen: Seen = { plugin, origin, hooks: new Set() };
  all.set(plugin.id, seen);
  const noting = <R>(work: () => R): R => {
    try {
      return work();
    } catch (thrown) {
      seen.failure = described(thrown, entry);
      throw thrown;
    }
  };
  const more: Partial<AnyPlugin> = {
    async activate(ctx: BaseContext) {
      const began = performance.now();
      try {
        return await plugin.activate?.(noticing(ctx, seen.hooks));
      } catch (thrown) {
        seen.failure = described(thrown, entry);
        throw thrown;
      } finally {
        seen.startMs = performance.now() - began;
      }
    },
  };
  if (plugin.hooks)
    more.hooks = (ctx) => {
      const taps = noting(() => plugin.hooks?.(noticing(ctx, seen.hooks)) ?? {});
      for (const hook of Object.keys(taps)) seen.hooks.add(hook);
      return taps;
    };
  return { ...entry, plugin: { ...plugin, ...more } };
}

/** A context that notes which hooks are tapped through it. */
function noticing(ctx: BaseContext, hooks: Set<string>): BaseContext {
  const hook = (name: HookName, tap: never) => {
    hooks.add(name);
    return ctx.hook(name, tap);
  };
  return Object.create(ctx, { hook: { value: hook } }) as BaseContext;
}

/** What was thrown, and where in the extension, if the stack leads through it. */
function described(thrown: unknown, { origin, file = origin }: KernelEntry): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "").replace(messageOf(thrown), "") : "";
  const frame = stack.split("\n").find((line) => line.includes(dirname(file)));
  const place = frame && /(\/?[^\s(]*:\d+):\d+\)?$/.exec(frame.replaceAll("file://", ""))?.[1];
  return place === undefined
    ? messageOf(thrown)
    : `${messageOf(thrown)} (${place.replace(dirname(file), dirname(origin))})`;
}
