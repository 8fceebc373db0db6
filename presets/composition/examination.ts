import type { ExtensionFile, FoundExtensions } from "@scorel/extensions/contract";
import type { UsedPlugin } from "@scorel/extensions/preset-findings";
import type { PresetFindings } from "@scorel/inspect/contract";
import { loadShipped, shipped } from "../catalogue.ts";
import { checkLayers } from "../layers/check.ts";
import { joinLayers } from "../layers/layered-values.ts";
import { type LayerRequest, packagesOf, readLayers } from "../layers/layers.ts";
import { isExtensionOff, isLeftOut, type Merged, mergeLayers } from "../layers/merge.ts";
import { unmetRequirements } from "../layers/requirements.ts";
import { findExtensions } from "./extension-files.ts";

/** Checks a preset and everything that it builds on without running its code: extensions are checked by parsing their source. */
export async function examine(request: LayerRequest): Promise<PresetFindings> {
  const problems: string[] = [];
  const layers = await readLayers({
    ...request,
    presetOnly: true,
    onProblem: (message) => void problems.push(message),
  });
  if (layers.length === 0) return { files: [], problems, unknown: [] };
  const merged = mergeLayers(layers);
  const packages = packagesOf(layers);
  const found = await findExtensions(packages.length > 0 ? undefined : request.project, packages, isLeftOut(merged));
  // Other users of this preset do not have this user's extensions.
  const extensions = packages.length === 0 ? found.extensions : ofPresets(found);
  // Extensions of the user are only included if the preset names them.
  const ours = extensions.filter(({ id, of }) => of === "preset" || merged.use.has(id));
  const loaded = ours.filter(({ id }) => !isExtensionOff(merged, id));
  const plugins = await loadShipped([...new Set([...merged.use.keys(), ...Object.keys(merged.tables)])]);
  joinLayers(merged, plugins.values());
  const known = extensions.map(({ id }) => ({ id, ...(isExtensionOff(merged, id) && { why: "switched off" }) }));
  const verdict = await checkLayers(merged, [...plugins.values()], known);
  const { examineValues } = await import("@scorel/inspect/doubts");
  // A user of the preset may have other extensions than those of the preset.
  const doubts = await examineValues(merged, plugins.values(), { hasExtensions: true });
  const { presetFindings } = await import("@scorel/extensions/preset-findings");
  const findings = await presetFindings(loaded, await shippedPlugins(merged, plugins));
  return {
    files: layers.map(({ file }) => file),
    problems: [
      ...problems,
      ...verdict.problems.map(({ message }) => message),
      ...found.problems
        .filter(({ origin }) => packages.some(({ folder }) => origin.startsWith(folder)))
        .map(({ message }) => message),
      ...findings.problems,
      ...unmetRequirements(
        merged,
        loaded.map(({ id }) => id),
      ).map(({ message }) => message),
    ],
    unknown: [
      ...[...verdict.notices, ...doubts].map(({ text }) => text),
      ...findings.unknown,
      ...loaded.flatMap((file) => tableUnknown(merged, file)),
    ],
  };
}

/** The extensions of presets, even if the user has one with the same id. If several presets have one with an id, the last one. */
function ofPresets({ extensions, shadowed }: FoundExtensions): ExtensionFile[] {
  const theirs = [...shadowed, ...extensions].filter(({ of }) => of === "preset");
  return [...new Map(theirs.map((file) => [file.id, file])).values()];
}

/** A remark that the table of an extension is not checked, because reading its schema would run the extension. */
function tableUnknown(merged: Merged, { id, path }: ExtensionFile): string[] {
  if (!Object.hasOwn(merged.tables, id)) return [];
  return [`[${id}] (${merged.placeOf([id])}): its schema is known only when ${path} runs`];
}

/** The shipped plugins of the preset. If none has host scope, those of `base` are added. */
async function shippedPlugins(merged: Merged, plugins: Loaded): Promise<UsedPlugin[]> {
  const own = usedIn(merged, plugins);
  if (own.some(({ scope }) => scope === "host")) return own;
  const by = "scorel preset check";
  const base = mergeLayers(await readLayers({ preset: "base", by, cwd: "/", project: undefined, presetOnly: true }));
  const others = usedIn(base, await loadShipped([...base.use.keys()]));
  return [...own, ...others.filter(({ scope }) => scope === "host")];
}

type Loaded = Awaited<ReturnType<typeof loadShipped>>;

function usedIn({ use }: Merged, plugins: Loaded): UsedPlugin[] {
  return [...use].flatMap(([id, place]) => {
    const [plugin, scope] = [plugins.get(id), shipped(id)?.scope];
    return plugin && scope ? [{ plugin, scope, place }] : [];
  });
}
