import type { ExtensionFile, FoundExtensions } from "@scorel/extensions/contract";
import type { ServiceUser } from "@scorel/extensions/service-graph";
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
  // An extension of the user counts only if the preset names it.
  const ours = extensions.filter(({ id, of }) => of === "preset" || merged.use.has(id));
  const loaded = ours.filter(({ id }) => !isExtensionOff(merged, id));
  const plugins = await loadShipped([...new Set([...merged.use.keys(), ...Object.keys(merged.tables)])]);
  joinLayers(merged, plugins.values());
  const known = extensions.map(({ id }) => ({ id, ...(isExtensionOff(merged, id) && { why: "switched off" }) }));
  const verdict = await checkLayers(merged, [...plugins.values()], known);
  const doubts = await (await import("@scorel/inspect/doubts")).examineValues(merged, plugins.values());
  const { extensionFindings } = await import("@scorel/extensions/findings");
  const readings = await Promise.all(loaded.map((file) => extensionFindings(file)));
  const [{ serviceProblems }, { aboutService, given }] = await Promise.all([
    import("@scorel/extensions/service-graph"),
    import("@scorel/extensions/words"),
  ]);
  const users = [...(await shippedUsers(merged, plugins)), ...readings.map(({ user }) => user)];
  const uncertain = readings.some(({ isOpen }) => isOpen);
  return {
    files: layers.map(({ file }) => file),
    problems: [
      ...problems,
      ...verdict.problems.map(({ message }) => message),
      ...found.problems
        .filter(({ origin }) => packages.some(({ folder }) => origin.startsWith(folder)))
        .map(({ message }) => message),
      ...readings.flatMap((reading) => reading.problems),
      ...serviceProblems(users, { isGiven: (service) => given.includes(service) || uncertain, aboutService }),
      ...unmetRequirements(
        merged,
        loaded.map(({ id }) => id),
      ).map(({ message }) => message),
    ],
    unknown: [
      ...[...verdict.notices, ...doubts].map(({ text }) => text),
      ...readings.flatMap((reading) => reading.unknown),
      ...loaded.flatMap((file) => tableUnknown(merged, file)),
    ],
  };
}

/** The extensions of presets, even if the user has one with the same id; of several with one id, the last. */
function ofPresets({ extensions, shadowed }: FoundExtensions): ExtensionFile[] {
  const theirs = [...shadowed, ...extensions].filter(({ of }) => of === "preset");
  return [...new Map(theirs.map((file) => [file.id, file])).values()];
}

/** Notes that the table of an extension is not checked, because reading its schema would run the extension. */
function tableUnknown(merged: Merged, { id, path }: ExtensionFile): string[] {
  if (!Object.hasOwn(merged.tables, id)) return [];
  return [`[${id}] (${merged.placeOf([id])}): its schema is known only when ${path} runs`];
}

/** The shipped plugins of the preset with the services that they use. If none has host scope, those of `base` are added. */
async function shippedUsers(merged: Merged, plugins: Loaded): Promise<ServiceUser[]> {
  const own = usersIn(merged, plugins);
  if (own.some(({ scope }) => scope === "host")) return own;
  const by = "scorel preset check";
  const base = mergeLayers(await readLayers({ preset: "base", by, cwd: "/", project: undefined, presetOnly: true }));
  const others = usersIn(base, await loadShipped([...base.use.keys()]));
  return [...own, ...others.filter(({ scope }) => scope === "host")];
}

type Loaded = Awaited<ReturnType<typeof loadShipped>>;

function usersIn({ use }: Merged, plugins: Loaded): ServiceUser[] {
  return [...use].flatMap(([id, place]) => {
    const [plugin, known] = [plugins.get(id), shipped(id)];
    if (!plugin || !known) return [];
    const placed = (names: readonly string[] = []) => names.map((name) => ({ name, place }));
    return [{ id, scope: known.scope, needs: placed(plugin.needs), provides: placed(plugin.provides) }];
  });
}
