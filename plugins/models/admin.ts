import { createKernel, type KernelEntry, newId } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type { ModelAdminService } from "@scorel/model/contract";
import type { Composition, Workspace } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";

/** What a session's model depends on. */
export interface Place {
  cwd: string;
  /** `provider/id` from the command line. */
  model?: string | undefined;
}

/**
 * Runs `work` with the plugin `model`, configured as for a session in this place but without one. Throws
 * MODELS_NO_PLUGIN and configuration errors.
 */
export async function withAdmin<T>(
  composition: Composition,
  { cwd, model }: Place,
  work: (admin: ModelAdminService) => Promise<T>,
): Promise<T> {
  const entries = await entriesFor(composition, cwd);
  const kernel = await createKernel({
    entries,
    store: createMemoryStore(header()),
    parent: composition.kernel(),
    services: { workspace: { model } as Workspace },
  });
  try {
    const admin = kernel.find("modelAdmin");
    if (!admin) throw errors.MODELS_NO_PLUGIN();
    return await work(admin);
  } finally {
    await kernel.stop();
  }
}

/**
 * The plugin `model`, and session plugins that have `providers` as a field. What other plugins contribute once they run is known
 * in sessions only. Where the plugins of a session cannot be loaded, keys can still be stored.
 */
async function entriesFor(composition: Composition, cwd: string): Promise<KernelEntry[]> {
  const loaded = await composition.sessionPlugins(cwd).catch(() => composition.sessionPlugins(cwd, { only: "model" }));
  return loaded.entries.filter(({ plugin }) => plugin.id === "model" || "providers" in plugin);
}

function header() {
  return { version: 1, sessionId: newId(), deviceId: newId(), createdAt: Date.now(), epoch: newId(), meta: {} };
}
