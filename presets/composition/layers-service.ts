import { existsSync } from "node:fs";
import type { Composed, LayersService, PresetSummary, Setting } from "@scorel/inspect/contract";
import { ScorelError } from "@scorel/kernel";
import { presetsDir } from "@scorel/kit/files/home";
import { secretFree } from "@scorel/kit/text/secret-free";
import { dotted, isTable, type KeyPath, leavesOf, type Table } from "@scorel/kit/values/table";
import type { InstalledPreset } from "@scorel/packages/contract";
import type { Project } from "@scorel/trust/loader";
import type { z } from "zod";
import { catalogue, loadShipped, shipped } from "../catalogue.ts";
import { lookingOnly } from "../layers/admission.ts";
import { type LayerRequest, packagesOf } from "../layers/layers.ts";
import { type Lock, lockAt, locksOf } from "../layers/locks.ts";
import { isExtensionOff, type Merged } from "../layers/merge.ts";
import { layersNamed, namesIn, presetFolders } from "../layers/preset-file.ts";
import { createConfigSchema, toJsonSchema } from "../layers/schema.ts";
import type { Asked } from "./asked.ts";
import { requestFor } from "./composition.ts";
import { createPresetStore } from "./preset-store.ts";
import { type Resolution, resolve } from "./resolution.ts";

/** The service `layers`: the layers of a run as `scorel preset` and `scorel config` show them. */
export function createLayersService(asked: Asked): LayersService {
  const request = () => requestFor(asked, asked.cwd);
  /** A request for a preset that is only shown: it need not be trusted, because none of its code runs. */
  const looking = async (preset: string, by: string): Promise<LayerRequest> => ({
    ...(await request()),
    preset,
    by,
    looking: true,
    admission: lookingOnly,
  });
  return {
    async presets() {
      const { project } = await request();
      const installed = await installedPresets(asked);
      const named = presetFolders(project).flatMap(({ dir }) => namesIn(dir));
      const names = new Set([...named, ...installed.map(({ name }) => name)]);
      return await Promise.all([...names].map((name) => summaryOf(name, project, installed)));
    },
    async preset(name) {
      const resolution = await resolve({ ...(await looking(name, "scorel preset show")), presetOnly: true });
      const extensions = resolution.extensions.filter(({ of }) => of === "preset");
      return await composed({ ...resolution, extensions });
    },
    async check(name) {
      return await (await import("./examination.ts")).examine(await looking(name, "scorel preset check"));
    },
    async config() {
      return await composed(await resolve({ ...(await request()), looking: true }));
    },
    async schema() {
      const plugins = await loadShipped(Object.keys(catalogue));
      return toJsonSchema(createConfigSchema([...plugins.values()]));
    },
  };
}

/** The presets that were installed. Loads the plugin only if the user has a presets folder. */
async function installedPresets(asked: Asked): Promise<InstalledPreset[]> {
  return existsSync(presetsDir()) ? await createPresetStore(asked).list() : [];
}

async function summaryOf(
  name: string,
  project: Project | undefined,
  presets: readonly InstalledPreset[],
): Promise<PresetSummary> {
  const preset = presets.find((each) => each.name === name);
  const installed = preset && {
    from: preset.source.spec,
    state: preset.state,
    ...(preset.source.version !== undefined && { version: preset.source.version }),
  };
  if (installed?.state === "changed") return { name, description: "", files: [], installed };
  try {
    const layers = await layersNamed(name, "scorel preset list", project);
    const description = layers.map(({ table }) => table.description).findLast((text) => typeof text === "string") ?? "";
    return {
      name,
      description: description as string,
      files: layers.map(({ file }) => file),
      ...(installed && { installed }),
    };
  } catch (thrown) {
    // The other presets are listed all the same.
    if (!(thrown instanceof ScorelError)) throw thrown;
    const problem = { code: thrown.code, message: thrown.message };
    return { name, description: "", files: [], ...(installed && { installed }), problem };
  }
}

async function composed(resolution: Resolution): Promise<Composed> {
  const { merged, plugins, extensions, problems, notices } = resolution;
  const used = [...merged.use].flatMap(([id, origin]) => {
    const known = shipped(id);
    return known ? [{ id, scope: known.scope, origin }] : [];
  });
  const own = extensions.map(({ id, path }) => ({ id, scope: "session" as const, origin: path }));
  const ids = new Set([...plugins.keys(), ...Object.keys(merged.tables)]);
  const locks = locksOf(merged.layers);
  const settings = [...ids].flatMap((id) => settingsOf(merged, id, plugins.get(id)?.config, locks));
  return {
    files: merged.layers.map(({ file }) => file),
    plugins: [...used, ...own],
    without: [...merged.without].map(([id, origin]) => ({ id, origin })),
    settings,
    ...(await packaged(resolution, locks)),
    notices: [...notices, ...problems.map(({ code, message, origin }) => ({ code, text: message, where: origin }))],
  };
}

/** The parts that presets made for sharing have: locks, requirements and the files that they bring. */
async function packaged({ merged, extensions, found }: Resolution, locks: readonly Lock[]): Promise<Partial<Composed>> {
  const { requirements } = await import("../layers/requirements.ts");
  const { contentsOf } = await import("@scorel/inspect/contents");
  const required = requirements(
    merged,
    extensions.map(({ id }) => id),
  );
  return {
    layers: merged.layers.map(({ file, by = "" }) => ({ file, by })),
    locked: locks.map(({ path, place }) => ({ path: dotted(path), origin: place })),
    requires: required.map(({ kind, what, place, unmet }) => ({
      what: `${kind} ${what}`,
      origin: place,
      ...(unmet !== undefined && { unmet }),
    })),
    ships: contentsOf(packagesOf(merged.layers), {
      found,
      off: new Map([...merged.without].filter(([id]) => isExtensionOff(merged, id))),
    }),
  };
}

/** The values of one table without secrets: those that a layer sets, and the defaults of the plugin. */
function settingsOf(merged: Merged, id: string, schema: z.ZodType | undefined, locks: readonly Lock[]): Setting[] {
  const table = Object.hasOwn(merged.tables, id) ? merged.tables[id] : {};
  const parsed = schema?.safeParse(table);
  return leavesOf(secretFree(parsed?.success ? parsed.data : table), [id]).map(({ path, value }) => {
    const locked = lockAt(locks, path)?.place;
    const origin = isSet(merged.tables, path) ? merged.placeOf(path) : "default";
    return { path: dotted(path), value, origin, ...(locked !== undefined && { locked }) };
  });
}

function isSet(tables: Table, path: KeyPath): boolean {
  const found = path.reduce<unknown>((value, key) => (isTable(value) ? value[String(key)] : undefined), tables);
  return found !== undefined;
}
