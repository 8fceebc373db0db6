import type { AnyPlugin } from "@scorel/kernel";
import { guards, shipped } from "./catalogue.ts";
import { type ConfigProblem, checkLayers, type KnownExtension } from "./check.ts";
import { errors } from "./errors.ts";
import { type ExtensionFile, type Found, findExtensions, type Problem } from "./extension-file.ts";
import { joinLayers } from "./layered-values.ts";
import { type LayerRequest, packagesOf, readLayers } from "./layers.ts";
import { loadTimes } from "./load-times.ts";
import { type Merged, mergeLayers } from "./merge.ts";

/** All layers read, merged and found valid, with what they name. */
export interface Resolution {
  merged: Merged;
  /** The shipped plugins that are used or configured, by id. */
  plugins: ReadonlyMap<string, AnyPlugin>;
  /** The extensions to load, in order. */
  extensions: readonly ExtensionFile[];
  /** Extensions that cannot even be found properly. */
  problems: readonly Problem[];
  notices: readonly string[];
}

/** Reads and checks the layers; throws all that is wrong at once, as CONFIG_INVALID or CONFIG_SCOPE. */
export async function resolve(request: LayerRequest): Promise<Resolution> {
  const merged = withGuards(mergeLayers(await readLayers(request)));
  const found = await confirmed(findExtensions(request.project, packagesOf(merged.layers)));
  const named = new Set([...merged.use.keys(), ...Object.keys(merged.tables)]);
  const plugins = await loadShipped([...named]);
  joinLayers(merged, plugins.values());
  const verdict = await checkLayers(merged, [...plugins.values()], knownExtensions(merged, found));
  if (verdict.problems.length > 0) throw configError(verdict.problems);
  const notices = [...aboutTrust(request), ...verdict.notices];
  return { merged, plugins, extensions: inOrder(merged, found.extensions), problems: found.problems, notices };
}

/** Where a project has a say, what keeps the model within bounds is there, unless the user has left it out. */
function withGuards(merged: Merged): Merged {
  const { layers, use, without } = merged;
  const project = layers.find(({ kind }) => kind === "project");
  if (!project || !use.has("tools")) return merged;
  const missing = guards.filter((id) => !use.has(id) && !without.has(id));
  return { ...merged, use: new Map([...use, ...missing.map((id) => [id, project.file] as const)]) };
}

/** Whoever has no extensions of their own loads nothing for this. */
async function confirmed(found: Found): Promise<Found> {
  if (!found.extensions.some(({ of }) => of === "user")) return found;
  const { withoutHeld } = await import("./held-extensions.ts");
  return await withoutHeld(found);
}

/** The shipped ones of these plugins, in the order given; one after the other, so that each one's time is its own. */
export async function loadShipped(ids: readonly string[]): Promise<Map<string, AnyPlugin>> {
  const plugins = new Map<string, AnyPlugin>();
  for (const id of ids) {
    const began = performance.now();
    const plugin = (await shipped(id)?.load())?.default;
    if (!plugin) continue;
    plugins.set(plugin.id, plugin);
    // Later calls find it loaded.
    if (!loadTimes.has(plugin)) loadTimes.set(plugin, performance.now() - began);
  }
  return plugins;
}

function knownExtensions({ without }: Merged, { extensions, idle }: Found): KnownExtension[] {
  const off = (id: string) => (without.has(id) ? { why: "switched off" } : {});
  return [...extensions.map(({ id }) => ({ id, ...off(id) })), ...idle];
}

/** Named ones in the order of `use`, then the others by name. */
function inOrder({ use, without }: Merged, found: readonly ExtensionFile[]): ExtensionFile[] {
  const named = [...use.keys()].flatMap((id) => found.filter((extension) => extension.id === id));
  const others = found.filter(({ id }) => !use.has(id) && !without.has(id));
  return [...named, ...others];
}

function aboutTrust({ project, admission }: LayerRequest): string[] {
  return [...(project?.notice === undefined ? [] : [project.notice]), ...(admission?.notices ?? [])];
}

function configError(problems: readonly ConfigProblem[]) {
  const code = problems.every((problem) => problem.code === "CONFIG_SCOPE") ? "CONFIG_SCOPE" : "CONFIG_INVALID";
  return errors[code]({ problems: problems.map(({ message }) => message) });
}
