import { existsSync } from "node:fs";
import type { Composed, LayersService, PresetSummary } from "@scorel/inspect/contract";
import { presetsDir } from "@scorel/kit/files/home";
import type { InstalledPackage } from "@scorel/packages/contract";
import { catalogue, loadShipped, shipped } from "../catalogue.ts";
import { lookingOnly } from "../layers/admission.ts";
import { type LayerRequest, packagesOf } from "../layers/layers.ts";
import { layersNamed, namesIn, presetFolders } from "../layers/preset-file.ts";
import { createConfigSchema, toJsonSchema } from "../layers/schema.ts";
import type { Asked } from "./asked.ts";
import { requestFor } from "./composition.ts";
import { createPresetStore } from "./preset-store.ts";
import { type Resolution, resolve } from "./resolution.ts";

/** The service `layers`: the layers of a run as `scorel preset` and `scorel config` show them. */
export function createLayersService(asked: Asked): LayersService {
  const request = (cwd = asked.cwd) => requestFor(asked, cwd);
  /** A request for a preset that is only shown: it need not be trusted, because none of its code runs. */
  const looking = async (preset: string, by: string): Promise<LayerRequest> => ({
    ...(await request()),
    preset,
    by,
    looking: true,
    admission: lookingOnly,
  });
  return {
    async presets(cwd) {
      const { project } = await request(cwd);
      const installed = new Map((await installedPresets(asked)).map((preset) => [preset.name, preset]));
      const named = presetFolders(project).flatMap(({ dir }) => namesIn(dir));
      const { summaryOf } = await import("@scorel/inspect/composed");
      const layersOf = (name: string) => layersNamed(name, "scorel preset list", project);
      return await Promise.all(
        [...new Set([...named, ...installed.keys()])].map((name) =>
          summaryOf(name, originOf(installed.get(name)), () => layersOf(name)),
        ),
      );
    },
    async preset(name) {
      const resolution = await resolve({ ...(await looking(name, "scorel preset show")), presetOnly: true });
      const extensions = resolution.extensions.filter(({ of }) => of === "preset");
      return await composed({ ...resolution, extensions });
    },
    async check(name) {
      return await (await import("./examination.ts")).examine(await looking(name, "scorel preset check"));
    },
    async config({ cwd, preset } = { cwd: asked.cwd }) {
      const named = preset === undefined ? asked : { ...asked, preset, by: "the session's preset" };
      return await composed(await resolve({ ...(await requestFor(named, cwd)), looking: true }));
    },
    async extensionTables() {
      const resolution = await resolve({ ...(await request()), looking: true });
      const files = resolution.extensions.filter(({ id }) => Object.hasOwn(resolution.merged.tables, id));
      if (files.length > 0) await asked.beforeExtensions?.();
      const { extensionEntries } = await import("./extension-entries.ts");
      const loaded = [
        await extensionEntries(resolution, files, "session"),
        await extensionEntries(resolution, files, "host"),
      ];
      const found = loaded.flatMap(({ problems }) => problems).filter(({ code }) => code === "CONFIG_INVALID");
      return [...new Set(found.map(({ message }) => message))];
    },
    async schema() {
      const plugins = await loadShipped(Object.keys(catalogue));
      return toJsonSchema(createConfigSchema([...plugins.values()]));
    },
  };
}

/** The installed presets. Loads the plugin only if the user has a presets folder. */
async function installedPresets(asked: Asked): Promise<InstalledPackage[]> {
  return existsSync(presetsDir()) ? await createPresetStore(asked).list() : [];
}

function originOf(preset: InstalledPackage | undefined): PresetSummary["installed"] {
  if (!preset) return undefined;
  const { source, state } = preset;
  return { from: source.spec, state, ...(source.version !== undefined && { version: source.version }) };
}

async function composed({ merged, extensions, ...resolution }: Resolution): Promise<Composed> {
  const [{ composedOf }, { lockAt, locksOf }, { requirements }] = await Promise.all([
    import("@scorel/inspect/composed"),
    import("../layers/locks.ts"),
    import("../layers/requirements.ts"),
  ]);
  const locks = locksOf(merged.layers);
  return composedOf({
    ...merged,
    ...resolution,
    extensions,
    scopeOf: (id) => shipped(id)?.scope,
    packages: packagesOf(merged.layers),
    locks,
    lockOn: (path) => lockAt(locks, path)?.place,
    requirements: requirements(
      merged,
      extensions.map(({ id }) => id),
    ),
  });
}
