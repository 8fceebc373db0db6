import type { ExtensionFile, ExtensionProblem, FoundExtensions } from "@scorel/extensions/contract";
import type { LayerNotice } from "@scorel/inspect/contract";
import type { AnyPlugin } from "@scorel/kernel";
import { guards, loadShipped, shipped } from "../catalogue.ts";
import { errors } from "../errors.ts";
import { type ConfigProblem, checkLayers, type KnownExtension } from "../layers/check.ts";
import { joinLayers } from "../layers/layered-values.ts";
import { type LayerRequest, packagesOf, readLayers } from "../layers/layers.ts";
import { isExtensionOff, isLeftOut, type Merged, mergeLayers } from "../layers/merge.ts";
import { findExtensions } from "./extension-files.ts";
import { withoutHeld } from "./trust.ts";

/** The merged and valid layers of a request, with the plugins and extensions that they name. */
export interface Resolution {
  merged: Merged;
  /** The shipped plugins that are used or configured, by id. */
  plugins: ReadonlyMap<string, AnyPlugin>;
  /** The extensions to load, in order. */
  extensions: readonly ExtensionFile[];
  /** Problems found while looking for extensions, such as an id that is taken. */
  problems: readonly ExtensionProblem[];
  /** Unmet requirements of presets. Empty unless the request has `looking`, as `resolve` throws otherwise. */
  unmet: readonly ConfigProblem[];
  /** All extensions on disk, loaded or not. */
  found: FoundExtensions;
  notices: readonly LayerNotice[];
}

/**
 * Reads, merges and checks the layers. Throws one error with all problems: CONFIG_INVALID, CONFIG_SCOPE, CONFIG_LOCKED or
 * CONFIG_REQUIRES.
 */
export async function resolve(request: LayerRequest): Promise<Resolution> {
  const merged = withLocal(withGuards(mergeLayers(await readLayers(request))));
  const project = request.scope === "host" ? undefined : request.project;
  const found = await confirmed(await findExtensions(project, packagesOf(merged.layers), isLeftOut(merged)));
  const plugins = await loadShipped(pluginsFor(request, merged));
  joinLayers(merged, plugins.values());
  const isLater = (id: string) => request.opensSession === true && shipped(id)?.scope === "session";
  const verdict = await checkLayers(merged, [...plugins.values()], knownExtensions(merged, found), isLater);
  const wrong = [...verdict.problems, ...(await breaches(merged, found))];
  // Checks again with the tables of session plugins, so that all mistakes are reported at once.
  if (wrong.length > 0 && request.opensSession) return resolve({ ...request, opensSession: false });
  if (wrong.length > 0) throw configError(wrong);
  const unmet = await unmetBy(merged, found);
  if (unmet.length > 0 && !request.looking) throw configError(unmet);
  // Notices about the layers of the host are not shown.
  const doubts =
    request.looking && request.scope !== "host"
      ? await (await import("@scorel/inspect/doubts")).examineValues(merged, plugins.values(), {
          hasExtensions: found.extensions.some(({ id }) => !isExtensionOff(merged, id)),
        })
      : [];
  const notices = [...aboutTrust(request), ...verdict.notices, ...doubts];
  return {
    merged,
    plugins,
    extensions: inOrder(merged, found.extensions),
    problems: found.problems,
    unmet,
    found,
    notices,
  };
}

/**
 * The ids of the plugins to load: all that are used or configured. For the host, session plugins are only included if they have a table to
 * check, since each session loads its own plugins.
 */
function pluginsFor({ scope, opensSession = false }: LayerRequest, { layers, use, tables }: Merged): string[] {
  const named = [...new Set([...use.keys(), ...Object.keys(tables)])];
  // A lock may name a key of any plugin.
  if (scope !== "host" || layers.some(({ table }) => table.locked !== undefined)) return named;
  return named.filter((id) => shipped(id)?.scope === "host" || (!opensSession && Object.hasOwn(tables, id)));
}

/** Adds the plugins that guard the model to a project with tools, except those that the user has left out. */
function withGuards(merged: Merged): Merged {
  const { layers, use, without } = merged;
  const project = layers.find(({ kind }) => kind === "project");
  if (!project || !use.has("tools")) return merged;
  const missing = guards.filter((id) => !use.has(id) && !without.has(id));
  return { ...merged, use: new Map([...use, ...missing.map((id) => [id, project.file] as const)]) };
}

/** Adds the plugin for files and processes to older presets, from when the coding tools accessed files and processes themselves. */
function withLocal(merged: Merged): Merged {
  const { use, without } = merged;
  const origin = use.get("coding");
  if (origin === undefined || use.has("local") || without.has("local")) return merged;
  return { ...merged, use: new Map([["local", origin], ...use]) };
}

/** Locked settings that a project changes. Loads the check only if a layer locks something. */
async function breaches({ layers }: Merged, { extensions, shadowed }: FoundExtensions): Promise<ConfigProblem[]> {
  if (!layers.some(({ table }) => table.locked !== undefined)) return [];
  const { breachesOf } = await import("../layers/locks.ts");
  const shadowing = shadowed.flatMap((of) => {
    const by = extensions.find(({ id }) => id === of.id);
    return by ? [{ by, of }] : [];
  });
  // An extension may have the id of a plugin of Scorel that is left out, but a project's extension must not replace a locked one.
  const inPlace = extensions.filter(({ id }) => shipped(id)).map((by) => ({ by, of: by }));
  return breachesOf(layers, [...shadowing, ...inPlace]);
}

async function unmetBy(merged: Merged, { extensions }: FoundExtensions): Promise<ConfigProblem[]> {
  if (!merged.layers.some(({ table }) => table.requires !== undefined)) return [];
  const { unmetRequirements } = await import("../layers/requirements.ts");
  return unmetRequirements(
    merged,
    inOrder(merged, extensions).map(({ id }) => id),
  );
}

/** The extensions without those that wait for confirmation. Loads the plugin only if the user or a preset has extensions. */
async function confirmed(found: FoundExtensions): Promise<FoundExtensions> {
  if (!found.extensions.some(({ of }) => of === "user" || of === "preset")) return found;
  return await withoutHeld(found);
}

function knownExtensions(merged: Merged, { extensions, idle }: FoundExtensions): KnownExtension[] {
  const off = (id: string) => (isExtensionOff(merged, id) ? { why: "switched off" } : {});
  return [...extensions.map(({ id }) => ({ id, ...off(id) })), ...idle];
}

/**
 * The extensions to load: first those in `use`, in its order, then the others by name. Those of a project come last, so that
 * they cannot claim a service or event type before the others.
 */
function inOrder(merged: Merged, found: readonly ExtensionFile[]): ExtensionFile[] {
  const { use } = merged;
  const named = [...use.keys()].flatMap((id) => found.filter((extension) => extension.id === id));
  const others = found.filter(({ id }) => !use.has(id) && !isExtensionOff(merged, id));
  const all = [...named, ...others];
  return [...all.filter(({ of }) => of !== "project"), ...all.filter(({ of }) => of === "project")];
}

function aboutTrust({ project, admission }: LayerRequest): LayerNotice[] {
  const code = project?.isUnreadable ? "TRUST_TREE" : "TRUST";
  return [
    ...(project?.notice === undefined ? [] : [{ code, text: project.notice }]),
    ...(admission?.notices ?? []).map((text) => ({ code: "TRUST", text })),
  ];
}

function configError(problems: readonly ConfigProblem[]) {
  const [first] = problems;
  const code = first && problems.every((problem) => problem.code === first.code) ? first.code : "CONFIG_INVALID";
  return errors[code]({ problems: problems.map(({ message }) => message) });
}
