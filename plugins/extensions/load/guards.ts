import { type BaseContext, codeOf, type KernelEntry } from "@scorel/kernel";
import { ContainedPlugin } from "../containment/contained-plugin.ts";
import { errors } from "../errors.ts";

/** An extension that guarded something when it was last loaded. */
export interface KnownGuard {
  id: string;
  /** The hooks on which it had critical layers. */
  hooks: readonly string[];
  /** Why the session has no entry for it; undefined if it has one. */
  missing?: string | undefined;
}

/**
 * Creates a plugin that denies all actions on the hooks of `known` guards that are not running, and passes the hooks that running extensions
 * guard to `note`. It must be the last entry of a session, so that it starts after all others have started or failed.
 */
export function guardKeeper(
  entries: readonly KernelEntry[],
  known: readonly KnownGuard[],
  note: (guarded: ReadonlyMap<string, ReadonlySet<string>>) => Promise<unknown>,
): KernelEntry {
  const running = () =>
    new Map(
      entries.flatMap(({ plugin, contained }) =>
        contained instanceof ContainedPlugin && contained.isRunning ? [[plugin.id, contained.guarded] as const] : [],
      ),
    );
  return {
    origin: "the extensions that guard something",
    plugin: {
      // No extension can have this id.
      id: "extensions/guards",
      name: "Guards of extensions",
      version: "0.1.0",
      async activate(ctx: BaseContext) {
        const guarded = running();
        for (const guard of known) if (!guarded.has(guard.id)) deny(ctx, guard);
        await note(guarded).catch((thrown: unknown) => ctx.report("", thrown));
      },
    },
  };
}

function deny(ctx: BaseContext, { id, hooks, missing = "It failed to start." }: KnownGuard): void {
  const denial = errors.EXTENSION_GUARD({ id, hooks, reason: missing });
  const handler = () => {
    throw denial;
  };
  for (const hook of hooks)
    try {
      ctx.hook(hook as never, { handler, level: "early", critical: true } as never);
    } catch (thrown) {
      // Without the plugin that defines the hook, the session cannot do what would have to be guarded.
      if (codeOf(thrown) !== "HOOK_UNKNOWN") throw thrown;
    }
  ctx.report("", denial);
}
