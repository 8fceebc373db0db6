import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExtensionProblem } from "@scorel/extensions/contract";
import { codeOf, type KernelEntry, ScorelError } from "@scorel/kernel";
import { projectDir } from "@scorel/kit/files/home";
import { isFileAt } from "@scorel/kit/files/readable";
import type { Project } from "@scorel/trust/loader";
import type { Composition, LockedSetting, PluginChoice } from "@scorel/workspace/contract";
import { shipped } from "../catalogue.ts";
import { errors } from "../errors.ts";
import { type LayerRequest, packagesOf } from "../layers/layers.ts";
import { filesOf } from "../paths.ts";
import type { Asked } from "./asked.ts";
import { extensionEntries } from "./extension-entries.ts";
import { guardEntries } from "./guards.ts";
import { type Resolution, resolve } from "./resolution.ts";
import { projectFor } from "./trust.ts";

/** The request for the layers of a directory. `--trust` applies only to the project that the run started in. */
export async function requestFor(asked: Asked, cwd: string): Promise<LayerRequest> {
  const { preset, by, cwd: from } = asked;
  return { preset, by, cwd, from, project: await projectFor(asked, cwd), admission: asked.admission };
}

/** The service `composition`: reads the layers again for each session, and loads its session plugins. */
export function createComposition(asked: Asked, kernel: Composition["kernel"]): Composition {
  return {
    kernel,
    async sessionPlugins(cwd, choice = {}) {
      const { preset, readOnly } = choice;
      if (preset === undefined) return pluginsOf(asked, cwd, choice);
      try {
        return await pluginsOf({ ...asked, preset, by: "the session's preset" }, cwd, choice);
      } catch (thrown) {
        if (!readOnly || !(thrown instanceof ScorelError)) throw thrown;
        asked.notify(`${thrown.message} The session is shown as one of the preset "${asked.preset}".`);
        return pluginsOf(asked, cwd, choice);
      }
    },
  };
}

/** Creates the plugins of a session with the preset of `asked`. */
async function pluginsOf(
  asked: Asked,
  cwd: string,
  { only, again, ...allowed }: PluginChoice,
): ReturnType<Composition["sessionPlugins"]> {
  const request = within(await requestFor(asked, cwd), allowed);
  const resolution = await resolve(request);
  const { project } = request;
  const untrusted = project?.trusted === false ? project.notice : undefined;
  const isKnown = again || asked.usesNoProject;
  for (const { text } of resolution.notices) if (!isKnown || text !== untrusted) asked.notify(text);
  const builtIn = shippedEntries(resolution, "session");
  if (only !== undefined) return { entries: builtIn.filter(({ plugin }) => plugin.id === only), problems: [] };
  const { entries, problems } = await loadExtensions(asked, resolution, resolution.extensions, "session");
  await assertRequired(resolution, entries, problems);
  const left = [...resolution.problems, ...problems];
  const guards = await guardEntries(resolution, project, entries, left);
  return {
    entries: [...builtIn, ...entries, ...guards],
    problems: left,
    ...trustedPaths(project),
    untrusted,
    packages: packagesOf(resolution.merged.layers),
    locks: await locksIn(resolution),
  };
}

/** Limits a request to the project folder and the folders of nested skills that the session may read. */
function within(request: LayerRequest, { project: dir, nested = [] }: PluginChoice): LayerRequest {
  const { project } = request;
  if (dir === undefined || !project) return request;
  const { nested: skills, ...rest } = project;
  const isAllowed = skills?.folders.every((folder) => nested.includes(folder));
  if (project.trusted && project.dir !== dir) return { ...request, project: undefined };
  return { ...request, project: { ...rest, ...(isAllowed && { nested: skills }) } };
}

/** Throws CONFIG_REQUIRES when a required extension is missing. Loads the check only if a preset requires or locks something. */
async function assertRequired(
  resolution: Resolution,
  entries: readonly KernelEntry[],
  problems: readonly ExtensionProblem[],
) {
  if (!resolution.merged.layers.some(({ table }) => table.requires ?? table.locked)) return;
  const { missingExtensions, requiredExtensions } = await import("./required-extensions.ts");
  const loaded = entries.map(({ plugin }) => plugin.id);
  const missing = missingExtensions(resolution, loaded, [...resolution.problems, ...problems]);
  if (missing.length > 0) throw errors.CONFIG_REQUIRES({ problems: missing });
  const required = requiredExtensions(resolution.merged);
  for (const entry of entries) if (required.has(entry.plugin.id)) entry.required = true;
}

/** The settings that the layers lock, for the session. Loads the module only if a layer locks something. */
async function locksIn({ merged: { layers } }: Resolution): Promise<LockedSetting[]> {
  if (!layers.some(({ table }) => table.locked)) return [];
  return (await import("../layers/locks.ts")).lockedSettings(layers);
}

function trustedPaths(project: Project | undefined) {
  const nested = project?.nested && { nestedSkills: project.nested };
  if (!project?.trusted) return { ...nested };
  const scorel = filesOf(project);
  return { trusted: project.dir, trustedCopy: { scorel, root: project.root ?? dirname(scorel) }, ...nested };
}

/** The plugins of host scope. */
export interface HostPlugins {
  entries: KernelEntry[];
  problems: ExtensionProblem[];
  /** Returns the paths of extensions that have a problem and are of host scope, as far as this can be told. */
  suspects(): string[];
}

/**
 * The plugins of host scope, from shipped and user layers only, including those that a project's preset or configuration
 * builds on. A preset without a command line, such as one of a project, gets the host plugins of `base`.
 */
export async function hostPlugins(asked: Asked): Promise<HostPlugins> {
  const own = await hostResolution(asked);
  const hasCli = own.merged.use.has("cli") || own.merged.without.has("cli");
  const entries = shippedEntries(hasCli ? own : await resolve(userRequest(asked, "base")), "host");
  const isOfHost = await hostScopeCheck(own);
  const extensions = await loadExtensions(
    asked,
    own,
    own.extensions.filter(({ of, file }) => of === "user" && isOfHost(file)),
    "host",
  );
  return {
    entries: [...entries, ...extensions.entries],
    problems: extensions.problems,
    suspects: () => [
      // A folder may hold an extension of host scope.
      ...own.problems.flatMap(({ origin }) => (!isFileAt(origin) || isOfHost(origin) ? [origin] : [])),
      ...extensions.problems.map(({ origin }) => origin),
    ],
  };
}

async function loadExtensions(
  asked: Asked,
  ...[resolution, files, scope]: Parameters<typeof extensionEntries>
): ReturnType<typeof extensionEntries> {
  if (files.length > 0) await asked.beforeExtensions?.();
  return extensionEntries(resolution, files, scope);
}

/**
 * The layers of the host. Requirements of presets, a project's files and installed presets are only checked when a session opens, so that
 * the commands that repair them can run.
 */
async function hostResolution(asked: Asked): Promise<Resolution> {
  const project = await projectWithLayers(asked);
  const { opensSession = false } = asked;
  const request: LayerRequest = { ...userRequest(asked), project, scope: "host", looking: true, opensSession };
  try {
    return await resolve(request);
  } catch (thrown) {
    if (["PRESET_CHANGED", "PRESET_TREE", "PRESET_LOCK"].includes(codeOf(thrown)))
      return await resolve({ ...userRequest(asked, "base"), presetOnly: true });
    if (project?.trusted) return await withoutProject(asked);
    throw thrown;
  }
}

/** The layers without those of a trusted project whose files or preset are invalid. */
async function withoutProject(asked: Asked): Promise<Resolution> {
  try {
    return await resolve({ ...userRequest(asked), looking: true, scope: "host" });
  } catch (thrown) {
    if (!["CONFIG_PRESET_UNKNOWN", "CONFIG_UNTRUSTED"].includes(codeOf(thrown))) throw thrown;
    return await resolve(userRequest(asked, "base"));
  }
}

/** The project, if it has files that can add layers. Errors are ignored here and reported when a session opens. */
async function projectWithLayers(asked: Asked): Promise<Project | undefined> {
  const dir = projectDir(asked.cwd);
  if (dir === undefined || !["config.toml", "presets"].some((name) => existsSync(join(dir, name)))) return undefined;
  try {
    return await projectFor(asked, asked.cwd);
  } catch (thrown) {
    if (thrown instanceof ScorelError) return undefined;
    throw thrown;
  }
}

function userRequest(asked: Asked, preset = asked.preset): LayerRequest {
  return { preset, by: asked.by, cwd: asked.cwd, project: undefined, admission: asked.admission };
}

function shippedEntries({ plugins, merged }: Resolution, scope: "host" | "session"): KernelEntry[] {
  return [...merged.use].flatMap(([id, origin]) => {
    const plugin = plugins.get(id);
    return plugin && shipped(id)?.scope === scope ? [{ plugin, config: merged.tables[id], origin }] : [];
  });
}

/** The check whether a file may be an extension of host scope. Loads its module only if there are such files. */
async function hostScopeCheck({ extensions, problems }: Resolution): Promise<(file: string) => boolean> {
  if (extensions.length + problems.length === 0) return () => false;
  return (await import("@scorel/extensions/host-scope")).mayHaveHostScope;
}
