import { type AnyPlugin, type BaseContext, type Contributions, type KernelEntry, messageOf } from "@scorel/kernel";
import type {} from "@scorel/prompt/contract";
import type {} from "@scorel/tools/contract";
import type { Composition } from "@scorel/workspace/contract";
import { unusableRows } from "../checks/contribution-flaws.ts";
import type { TapRow } from "../contract.ts";
import { errors } from "../errors.ts";
import { knownWords } from "../words.ts";

/** The record of one plugin from the opening of a session. */
export interface Seen {
  plugin: AnyPlugin;
  origin: string;
  /** How long `activate` took, in milliseconds; absent if it has not run. */
  startMs?: number;
  /** Its position in the start order, from 1; absent if it has not run. */
  order?: number;
  taps: TapRow[];
  /** What `activate` returned, if it was an object. */
  returned?: object;
  /** Why it did not start. */
  failure?: string;
}

/** A composition that records, while `watch` runs, which plugins an opened session has and how each of them started. */
export interface Rehearsal {
  composition: Composition;
  watch(open: () => Promise<unknown>): Promise<ReadonlyMap<string, Seen>>;
  /** Collects the contributions of the opened session that are otherwise only read at first use, so that mistakes are reported. */
  collect(): void;
}

/** The possible return values of `activate`. */
type Returned = Awaited<ReturnType<NonNullable<AnyPlugin["activate"]>>>;

/** The record of each plugin, and the number of started plugins and of layers so far. */
type Watched = Map<string, Seen> & { started: number; taps: number };

/** The kernel's time limit for a layer that sets none. */
const LIMIT_MS = 30_000;

export function createRehearsal(real: Composition): Rehearsal {
  let watching: Watched | undefined;
  let session: BaseContext | undefined;
  const collector: KernelEntry = {
    origin: "scorel plugin list",
    plugin: {
      // No extension can have this id.
      id: "extensions/rehearsal",
      name: "Rehearsal",
      version: "0.1.0",
      activate: (ctx: BaseContext) => {
        session = ctx;
      },
    },
  };
  return {
    collect() {
      // An extension may provide these services. Its errors must not prevent the list from being shown.
      if (session) collectAll(session);
      for (const read of [() => session?.find("tools")?.list(), () => session?.find("prompt")?.view()])
        try {
          read();
        } catch (thrown) {
          session?.report("contributions", thrown);
        }
    },
    composition: {
      ...real,
      async sessionPlugins(...asked) {
        const plugins = await real.sessionPlugins(...asked);
        const seen = watching;
        if (!seen) return plugins;
        return { ...plugins, entries: [...plugins.entries.map((entry) => watched(entry, seen)), collector] };
      },
    },
    async watch(open) {
      const seen: Watched = Object.assign(new Map<string, Seen>(), { started: 0, taps: 0 });
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

/**
 * Collects every contribution of a kernel's plugins, so that mistakes are reported that are otherwise only found at the first use. Also
 * reports rows that cannot be used.
 */
export function collectAll(kernel: Pick<BaseContext, "collect">): void {
  for (const name of knownWords.contributions)
    kernel.collect(name as keyof Contributions, (value, _plugin, flaw) => {
      for (const reason of unusableRows(name, value)) flaw(errors.EXTENSION_CONTRIBUTION({ reason }));
    });
}

function watched(entry: KernelEntry, all: Watched): KernelEntry {
  const { plugin, origin } = entry;
  const seen: Seen = { plugin, origin, taps: [] };
  const note = (hook: string, tap: unknown) => void seen.taps.push(tapRow(hook, tap, ++all.taps));
  all.set(plugin.id, seen);
  const noting = <R>(work: () => R): R => {
    try {
      return work();
    } catch (thrown) {
      seen.failure = described(thrown, entry);
      throw thrown;
    }
  };
  const notedHooks = (ask: () => object | null | undefined): object => {
    const taps = noting(() => ask() ?? {});
    for (const [hook, tap] of Object.entries(taps)) if (tap) note(hook, tap);
    return taps;
  };
  const noticedReturn = (returned: Returned): Returned => {
    if (typeof returned !== "object" || returned === null || Array.isArray(returned)) return returned;
    seen.returned = returned;
    const { hooks } = returned;
    if (!hooks) return returned;
    const ask = typeof hooks === "function" ? () => hooks.call(returned) : () => hooks;
    return Object.create(returned, { hooks: { value: () => notedHooks(ask), enumerable: true } }) as Returned;
  };
  const more: Partial<AnyPlugin> = {
    async activate(ctx: BaseContext) {
      const began = performance.now();
      seen.order = ++all.started;
      try {
        return noticedReturn(await plugin.activate?.(noticing(ctx, note)));
      } catch (thrown) {
        seen.failure = described(thrown, entry);
        throw thrown;
      } finally {
        seen.startMs = performance.now() - began;
      }
    },
  };
  if (plugin.hooks) more.hooks = (ctx) => notedHooks(() => plugin.hooks?.(noticing(ctx, note)));
  return { ...entry, plugin: { ...plugin, ...more } };
}

/** Describes a layer, which is a function, or an object with a handler and settings. */
function tapRow(hook: string, tap: unknown, order: number): TapRow {
  const { level = "normal", critical = false, limit = LIMIT_MS } = tap as Partial<Omit<TapRow, "hook" | "order">>;
  return { hook, level, critical, limit, order };
}

/** A context that records the hooks that are tapped through it. */
function noticing(ctx: BaseContext, note: (hook: string, tap: unknown) => void): BaseContext {
  const hook = (name: Parameters<BaseContext["hook"]>[0], tap: never) => {
    const undo = ctx.hook(name, tap);
    note(name, tap);
    return undo;
  };
  return Object.create(ctx, { hook: { value: hook } }) as BaseContext;
}

/** The error, and the line of the extension that it was thrown from, if the stack has one. */
function described(thrown: unknown, { origin, contained }: KernelEntry): string {
  const place = contained?.thrownAt(thrown) ?? origin;
  return place === origin ? messageOf(thrown) : `${messageOf(thrown)} (${place})`;
}
