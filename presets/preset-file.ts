import { existsSync, readdirSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { errors } from "./errors.ts";
import { type Layer, type LayerKind, readLayer } from "./layer.ts";
import { canonical, filesOf, isWithin, type Project, shippedPresets, userDir } from "./paths.ts";

/** Where presets are found by name, the weakest first: each folder's file is a layer over the one before. */
export interface PresetFolder {
  kind: LayerKind;
  dir: string;
}

/** The folders for a user in a project: of a project that is not trusted, none. */
export function presetFolders(project: Project | undefined): PresetFolder[] {
  const folders: PresetFolder[] = [
    { kind: "shipped", dir: shippedPresets },
    { kind: "user", dir: join(userDir(), "presets") },
  ];
  if (project?.trusted) folders.push({ kind: "project", dir: join(filesOf(project), "presets") });
  return folders;
}

/** A preset is named, or given as the path of its file. */
export const isPath = (preset: string) => /[\\/]/.test(preset) || preset.endsWith(".toml");

/** The names of all presets in a folder. */
export function namesIn(dir: string): string[] {
  return filesIn(dir)
    .filter((file) => file.endsWith(".toml"))
    .map((file) => basename(file, ".toml"))
    .sort();
}

/** Every layer that bears this name, weakest first; throws CONFIG_PRESET_UNKNOWN when there is none. */
export async function layersNamed(name: string, by: string, project: Project | undefined): Promise<Layer[]> {
  const folders = presetFolders(project);
  const found = folders.filter(({ dir }) => namesIn(dir).includes(name));
  if (found.length === 0) throw await unknown(name, by, folders, project);
  return found.map(({ kind, dir }) => readPreset(join(dir, `${name}.toml`), kind, project));
}

/** The layer at a path, relative to `from`. Whoever names the path decides what the file may set, unless it is a project's. */
export function layerAt(path: string, from: string, kind: LayerKind, project: Project | undefined): Layer {
  const file = resolve(from, path);
  const real = canonical(file);
  if (project?.trusted)
    for (const dir of [project.dir, filesOf(project)])
      if (isWithin(dir, real)) return readPreset(join(filesOf(project), relative(dir, real)), "project", project);
  const ofProject = real.split(sep).includes(".scorel") && !isWithin(canonical(userDir()), real);
  if (ofProject) throw errors.CONFIG_UNTRUSTED({ file });
  // What a project's layer builds on was not part of what the user has trusted.
  if (kind === "project") throw errors.CONFIG_OUTSIDE({ file, by: project?.dir ?? from });
  return readPreset(file, kind, project);
}

function readPreset(path: string, kind: LayerKind, project: Project | undefined): Layer {
  if (kind === "shipped") return readLayer(path, kind, `presets/${basename(path)}`);
  if (kind === "user" || !project) return readLayer(path, kind);
  return readLayer(path, kind, join(project.dir, relative(filesOf(project), path)));
}

async function unknown(preset: string, by: string, folders: readonly PresetFolder[], project: Project | undefined) {
  const hidden = project && !project.trusted ? join(project.dir, "presets", `${preset}.toml`) : undefined;
  if (hidden !== undefined && existsSync(hidden)) return errors.CONFIG_PRESET_UNTRUSTED({ preset, file: hidden });
  const { nearest } = await import("@scorel/cli/nearest");
  const known = folders.flatMap(({ dir }) => namesIn(dir));
  return errors.CONFIG_PRESET_UNKNOWN({ preset, by, nearest: nearest(preset, known) });
}

function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "")) return [];
    throw errors.CONFIG_UNREADABLE({ file: dir, reason: (thrown as Error).message }, { cause: thrown });
  }
}
