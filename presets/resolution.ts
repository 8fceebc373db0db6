import type { AnyPlugin } from "@scorel/kernel";
import { shipped } from "./catalogue.ts";
import { type ConfigProblem, checkLayers, type KnownExtension } from "./check.ts";
import { errors } from "./errors.ts";
import { type ExtensionFile, type Found, findExtensions, type Problem } from "./extension-file.ts";
import { joinLayers } from "./layered-values.ts";
import { type LayerRequest, readLayers } from "./layers.ts";
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
  const merged = mergeLayers(await readLayers(request));
  const found = await confirmed(findExtensions(request.project));
  const named = new Set([...merged.use.keys(), ...Object.keys(merged.tables)]);
  const plugins = await loadShipped([...named]);
  joinLayers(merged, plugins.values());
  const verdict = await checkLayers(merged, [...plugins.values()], knownExtensions(merged, found));
  if (verdict.problems.length > 0) throw configError(verdict.problems);
  const notices = [...aboutTrust(request), ...verdict.notices];
  return { merged, plugins, extensions: inOrder(merged, found.extensions), problems: found.problems, notices };
}

/** Whoever has no extensions of their own loads nothing for this. */
async function confirmed(found: Found): Promise<Found> {
  if (!found.extensions.some(({ of }) => of === "user")) return found;
  const { withoutHeld } = await import("./held-extensions.ts");
  return await withoutHeld(found);
}

/** The shipped ones of these plugins, loaded side by side, in the order given. */
export async function loadShipped(ids: readonly string[]): Promise<Map<string, AnyPlugin>> {
  const loading = ids.flatMap((id) => shipped(id)?.load() ?? []);
  return new Map((await Promise.all(loading)).map(({ default: plugin }) => [plugin.id, plugin]));
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

function aboutTrust({ project }: LayerRequest): string[] {
  return project?.notice === undefined ? [] : [project.notice];
}

function configError(problems: readonly ConfigProblem[]) {
  const code = problems.every((problem) => problem.code === "CONFIG_SCOPE") ? "CONFIG_SCOPE" : "CONFIG_INVALID";
  return errors[code]({ problems: problems.map(({ message }) => message) });
}
