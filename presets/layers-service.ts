import type { Composed, LayersService, PresetSummary, Setting } from "@scorel/inspect/contract";
import type { InstalledPreset } from "@scorel/packages/contract";
import type { z } from "zod";
import { catalogue, shipped } from "./catalogue.ts";
import { type Asked, requestFor } from "./composition.ts";
import type { Table } from "./layer.ts";
import { leavesOf } from "./leaves.ts";
import { dotted, isTable, type KeyPath, type Merged } from "./merge.ts";
import type { Project } from "./paths.ts";
import { layersNamed, namesIn, presetFolders } from "./preset-file.ts";
import { isAnyInstalled } from "./preset-lock.ts";
import { loadShipped, type Resolution, resolve } from "./resolution.ts";
import { createConfigSchema, toJsonSchema } from "./schema.ts";
import { secretFree } from "./secret-free.ts";

/** The layers of a run as `scorel preset` and `scorel config` show them. */
export function createLayersService(asked: Asked): LayersService {
  const request = () => requestFor(asked, asked.cwd);
  return {
    async presets() {
      const { project } = await request();
      const installed = await installedPresets(asked);
      const named = presetFolders(project).flatMap(({ dir }) => namesIn(dir));
      const names = new Set([...named, ...installed.map(({ name }) => name)]);
      return await Promise.all([...names].map((name) => summaryOf(name, project, installed)));
    },
    async preset(name) {
      const by = "scorel preset show";
      return composed({
        ...(await resolve({ ...(await request()), preset: name, by, presetOnly: true })),
        extensions: [],
      });
    },
    async config() {
      return composed(await resolve(await request()));
    },
    async schema() {
      const plugins = await loadShipped(Object.keys(catalogue));
      return toJsonSchema(createConfigSchema([...plugins.values()]));
    },
  };
}

/** Whoever has installed nothing loads nothing for this. */
async function installedPresets(asked: Asked): Promise<InstalledPreset[]> {
  if (!isAnyInstalled()) return [];
  return await (await import("./preset-store.ts")).createPresetStore(asked).list();
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
  const layers = await layersNamed(name, "scorel preset list", project);
  const description = layers.map(({ table }) => table.description).findLast((text) => typeof text === "string") ?? "";
  return {
    name,
    description: description as string,
    files: layers.map(({ file }) => file),
    ...(installed && { installed }),
  };
}

function composed({ merged, plugins, extensions, problems, notices }: Resolution): Composed {
  const used = [...merged.use].flatMap(([id, origin]) => {
    const known = shipped(id);
    return known ? [{ id, scope: known.scope, origin }] : [];
  });
  const own = extensions.map(({ id, path }) => ({ id, scope: "session" as const, origin: path }));
  const ids = new Set([...plugins.keys(), ...Object.keys(merged.tables)]);
  const settings = [...ids].flatMap((id) => settingsOf(merged, id, plugins.get(id)?.config));
  return {
    files: merged.layers.map(({ file }) => file),
    plugins: [...used, ...own],
    without: [...merged.without].map(([id, origin]) => ({ id, origin })),
    settings,
    notices: [...notices, ...problems.map(({ message }) => message)],
  };
}

/** The values of one table, without secrets: those that a layer set, and the defaults that its plugin fills in. */
function settingsOf(merged: Merged, id: string, schema: z.ZodType | undefined): Setting[] {
  const table = Object.hasOwn(merged.tables, id) ? merged.tables[id] : {};
  const parsed = schema?.safeParse(table);
  return leavesOf(secretFree(parsed?.success ? parsed.data : table), [id]).map(({ path, value }) => ({
    path: dotted(path),
    value,
    origin: isSet(merged.tables, path) ? merged.placeOf(path) : "default",
  }));
}

function isSet(tables: Table, path: KeyPath): boolean {
  const found = path.reduce<unknown>((value, key) => (isTable(value) ? value[String(key)] : undefined), tables);
  return found !== undefined;
}
