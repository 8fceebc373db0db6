import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExtensionFile, ExtensionProblem } from "@scorel/extensions/contract";
import { codeOf, type KernelEntry, ScorelError } from "@scorel/kernel";
import { projectDir } from "@scorel/kit/files/home";
import type { Project } from "@scorel/trust/loader";
import type { Composition } from "@scorel/workspace/contract";
import { shipped } from "../catalogue.ts";
import { errors } from "../errors.ts";
import { type LayerRequest, packagesOf } from "../layers/layers.ts";
import { filesOf } from "../paths.ts";
import type { Asked } from "./asked.ts";
import { extensionEntries } from "./extension-entries.ts";
import { type Resolution, resolve } from "./resolution.ts";
import { projectFor } from "./trust.ts";

/** The layers for a directory. Trust given for this run is for the project it started in, and no other. */
export async function requestFor(asked: Asked, cwd: string): Promise<LayerRequest> {
  const { preset, by, cwd: start } = asked;
  return { preset, by, cwd: start, project: await projectFor(asked, cwd), admission: asked.admission };
}

/** Everything of session scope, read and made anew for each session. */
export function createComposition(asked: Asked, kernel: Composition["kernel"]): Composition {
  return {
    kernel,
    async sessionPlugins(cwd, only, again) {
      const request = await requestFor(asked, cwd);
      const resolution = await resolve(request);
      const { project } = request;
      const untrusted = project?.trusted === false ? project.notice : undefined;
      for (const { text } of resolution.notices) if (!again || text !== untrusted) asked.notify(text);
      const shippedOnes = shippedEntries(resolution, "session");
      if (only !== undefined) return { entries: shippedOnes.filter(({ plugin }) => plugin.id === only), problems: [] };
      const { entries, problems } = await loadExtensions(asked, resolution, resolution.extensions, "session");
      await assertRequired(resolution, entries, problems);
      return {
        entries: [...shippedOnes, ...entries],
        problems: [...resolution.problems, ...problems],
        ...trustedPaths(project),
        untrusted,
        packages: packagesOf(resolution.merged.layers),
      };
    },
  };
}

/** Most people require nothing, and load nothing for it. */
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

function trustedPaths(project: Project | undefined) {
  const nested = project?.nested && { nestedSkills: project.nested };
  if (!project?.trusted) return { ...nested };
  const scorel = filesOf(project);
  return { trusted: project.dir, trustedCopy: { scorel, root: project.root ?? dirname(scorel) }, ...nested };
}

/**
 * Everything of host scope, from shipped and user layers only: those that the preset and the project's configuration build
 * on. A preset that brings no command line, such as one of a project, runs on the host plugins of `base`.
 */
export async function hostPlugins(asked: Asked): Promise<{ entries: KernelEntry[]; problems: ExtensionProblem[] }> {
  const own = await hostResolution(asked);
  const hasCli = own.merged.use.has("cli") || own.merged.without.has("cli");
  const entries = shippedEntries(hasCli ? own : await resolve(userRequest(asked, "base")), "host");
  const extensions = await loadExtensions(
    asked,
    own,
    own.extensions.filter((file) => file.of === "user" && declaresHost(file)),
    "host",
  );
  return { entries: [...entries, ...extensions.entries], problems: extensions.problems };
}

async function loadExtensions(
  asked: Asked,
  ...[resolution, files, scope]: Parameters<typeof extensionEntries>
): ReturnType<typeof extensionEntries> {
  if (files.length > 0) await asked.beforeExtensions?.();
  return extensionEntries(resolution, files, scope);
}

/**
 * What a preset requires is asked for when a session opens, and so is whether a project's files and an installed preset
 * are in order: until then the commands run that put them right.
 */
async function hostResolution(asked: Asked): Promise<Resolution> {
  const project = await projectWithLayers(asked);
  const request: LayerRequest = { ...userRequest(asked), project, scope: "host", looking: true };
  try {
    return await resolve(request);
  } catch (thrown) {
    if (["PRESET_CHANGED", "PRESET_TREE", "PRESET_LOCK"].includes(codeOf(thrown)))
      return await resolve({ ...userRequest(asked, "base"), presetOnly: true });
    if (project?.trusted) return await withoutProject(asked);
    throw thrown;
  }
}

/** For a trusted project whose own files are wrong, or whose preset is. */
async function withoutProject(asked: Asked): Promise<Resolution> {
  try {
    return await resolve({ ...userRequest(asked), looking: true });
  } catch (thrown) {
    if (!["CONFIG_PRESET_UNKNOWN", "CONFIG_UNTRUSTED"].includes(codeOf(thrown))) throw thrown;
    return await resolve(userRequest(asked, "base"));
  }
}

/** The project if it has files that can add layers. One that cannot be read is reported when a session opens. */
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

/** Recognised by its text, so that starting a command runs no extension that belongs to sessions. */
function declaresHost({ file }: ExtensionFile): boolean {
  return /\bscope\b\s*[:=]\s*["'`]host["'`]/.test(readFileSync(file, "utf8"));
}
