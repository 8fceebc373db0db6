import {
  type AnyPlugin,
  type BaseContext,
  createKernel,
  type Kernel,
  type KernelEntry,
  newId,
  type Services,
} from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type { ModelAdminService } from "@scorel/model/contract";
import type { Composition, Workspace } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";

/** The directory and settings that determine a session's model. */
export interface Place {
  cwd: string;
  /** `provider/id` from the command line. */
  model?: string | undefined;
  /** Replaces the configured table `[model]`. */
  table?: object | undefined;
}

/**
 * Runs `work` with the plugin `model`, configured as for a session in this place but without one. Throws
 * MODELS_NO_PLUGIN and configuration errors.
 */
export async function withAdmin<T>(
  composition: Composition,
  { cwd, model, table }: Place,
  work: (admin: ModelAdminService, failures: Kernel["failures"]) => Promise<T>,
): Promise<T> {
  const entries = (await entriesFor(composition, cwd)).map((entry) =>
    table !== undefined && entry.plugin.id === "model" ? { ...entry, config: table } : entry,
  );
  const kernel = await createKernel({
    entries,
    store: createMemoryStore(header()),
    parent: composition.kernel(),
    services: { workspace: { model } as Workspace },
  });
  try {
    const admin = kernel.find("modelAdmin");
    if (!admin) throw errors.MODELS_NO_PLUGIN();
    return await work(admin, kernel.failures);
  } finally {
    await kernel.stop();
  }
}

/**
 * The plugin `model`, and the field `providers` of each session plugin that has it. Session plugins are not started, since there is no
 * session, so contributions made by running plugins are missing. If they cannot even be loaded, only `model` is used, so that keys can
 * still be stored.
 */
async function entriesFor(composition: Composition, cwd: string): Promise<KernelEntry[]> {
  const loaded = await composition.sessionPlugins(cwd).catch(() => composition.sessionPlugins(cwd, { only: "model" }));
  const isThere = (service: keyof Services) => composition.kernel().find(service) !== undefined;
  return loaded.entries.flatMap((entry) => {
    if (entry.plugin.id === "model") return [entry];
    return "providers" in entry.plugin ? [{ ...entry, plugin: onlyProviders(entry.plugin, isThere) }] : [];
  });
}

function onlyProviders(plugin: AnyPlugin, isThere: (service: keyof Services) => boolean): AnyPlugin {
  const { id, name, version, replaces, config, needs = [] } = plugin;
  const { providers } = plugin as { providers?: (ctx: BaseContext) => unknown };
  const declared = { id, name, version, ...(replaces && { replaces }), ...(config && { config }) };
  return {
    ...declared,
    needs: needs.filter(isThere),
    providers: (ctx: BaseContext) => providers?.call(plugin, ctx),
  } as AnyPlugin;
}

function header() {
  return { version: 1, sessionId: newId(), deviceId: newId(), createdAt: Date.now(), epoch: newId(), meta: {} };
}
