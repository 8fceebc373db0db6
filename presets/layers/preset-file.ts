import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { presetFile, presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { isFolderAt } from "@scorel/kit/files/readable";
import { nearest } from "@scorel/kit/values/nearest";
import type { Admission, Project } from "@scorel/trust/loader";
import type { PresetPackage } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import { filesOf, shippedPresets } from "../paths.ts";
import { assertNotLost, installedFile, settleInstalls, userPackage } from "./installed.ts";
import { type Layer, type LayerKind, readLayer } from "./layer.ts";

/** A folder in which presets are found by name. */
export interface PresetFolder {
  kind: LayerKind;
  dir: string;
}

/** The folders with presets, in the order of their layers; a project's folder only if the project is trusted. */
export function presetFolders(project: Project | undefined): PresetFolder[] {
  const folders: PresetFolder[] = [
    { kind: "shipped", dir: shippedPresets },
    { kind: "user", dir: presetsDir() },
  ];
  if (project?.trusted) folders.push({ kind: "project", dir: join(filesOf(project), "presets") });
  return folders;
}

/** Whether a preset is given as the path of its file or folder, not by name. */
export const isPath = (preset: string) => /[\\/]/.test(preset) || preset.endsWith(".toml") || /^\.{1,2}$/.test(preset);

/** The names of all presets in a folder. */
export function namesIn(dir: string): string[] {
  return [...new Set(presetsIn(dir).map(({ name }) => name))].sort();
}

/** Every preset with this name, in the order of the folders. Throws CONFIG_PRESET_UNKNOWN if there is none. */
export async function layersNamed(name: string, by: string, project: Project | undefined): Promise<Layer[]> {
  await settleInstalls();
  const folders = presetFolders(project);
  const found = folders.flatMap(({ kind, dir }) =>
    presetsIn(dir)
      .filter((preset) => preset.name === name)
      .map(({ path }) => ({ kind, path })),
  );
  if (found.length === 0) throw await unknown(name, by, folders, project);
  return await Promise.all(found.map(({ kind, path }) => readPreset(path, kind, project)));
}

/** The layer that names a preset by its path. */
export interface Naming {
  /** The directory that a relative path starts from. */
  from: string;
  kind: LayerKind;
  /** The folder that the path must be in. */
  within?: Layer["within"];
}

/**
 * The layer at the path of a file or preset folder. It may set the same as the layer that names it, but a file of a project only what
 * projects may set. Throws CONFIG_OUTSIDE if a project or a preset folder names a path outside of itself, and CONFIG_PRESET_UNCONFIRMED
 * if a path elsewhere is not trusted.
 */
export async function layerAt(
  path: string,
  { from, kind, within }: Naming,
  project: Project | undefined,
  admission: Admission,
): Promise<Layer> {
  const file = fileAt(resolve(from, path));
  const real = canonical(file);
  if (within) return layerInside(within, file, kind);
  if (project?.trusted)
    for (const dir of [project.dir, filesOf(project)])
      if (isWithin(dir, real)) return await readPreset(join(filesOf(project), relative(dir, real)), "project", project);
  const ofProject = real.split(sep).includes(".scorel") && !isWithin(canonical(userDir()), real);
  if (ofProject) throw errors.CONFIG_UNTRUSTED({ file });
  // The trust in the project does not cover files outside of it.
  if (kind === "project") throw errors.CONFIG_OUTSIDE({ file, by: project?.dir ?? from });
  const isOurs = [userDir(), shippedPresets].some((dir) => isWithin(canonical(dir), real));
  if (isOurs || !existsSync(file)) return await readPreset(file, kind, project);
  const root = await admission.admit(real);
  return layerInside({ folder: dirname(real), root }, join(root, basename(real)), kind);
}

function layerInside(within: NonNullable<Layer["within"]>, file: string, kind: LayerKind): Layer {
  const isInside = isWithin(canonical(within.root), canonical(file));
  const shown = join(within.folder, relative(within.root, file));
  if (!isInside) throw errors.CONFIG_OUTSIDE({ file: shown, by: within.folder });
  const layer = { ...readLayer(file, kind, shown), within };
  return basename(file) === presetFile ? { ...layer, pack: packageOf(dirname(shown), dirname(file)) } : layer;
}

function packageOf(folder: string, root: string): PresetPackage {
  return { name: basename(canonical(folder)), folder, root };
}

/** The path of a preset's file; for a preset folder, of its `preset.toml`. */
export function fileAt(path: string): string {
  return isFolderAt(path) ? join(path, presetFile) : path;
}

async function readPreset(path: string, kind: LayerKind, project: Project | undefined): Promise<Layer> {
  if (kind === "shipped") return readLayer(path, kind, `presets/${basename(path)}`);
  const isOfProject = kind === "project" && project;
  const shown = isOfProject ? join(project.dir, relative(filesOf(project), path)) : path;
  const folders = presetFolders(project).map(({ dir }) => dir);
  const isPackage = basename(path) === presetFile && !folders.includes(dirname(path));
  if (!isPackage) return readLayer(isOfProject ? path : await installedFile(path), kind, shown);
  const folder = dirname(shown);
  const root = canonical(isOfProject ? dirname(path) : await userPackage(folder));
  return layerInside({ folder, root }, join(root, presetFile), kind);
}

async function unknown(preset: string, by: string, folders: readonly PresetFolder[], project: Project | undefined) {
  const hidden = project && !project.trusted ? presetFileIn(project.dir, preset) : undefined;
  if (hidden !== undefined) return errors.CONFIG_PRESET_UNTRUSTED({ preset, file: hidden });
  await assertNotLost(preset);
  const known = folders.flatMap(({ dir }) => namesIn(dir));
  return errors.CONFIG_PRESET_UNKNOWN({ preset, by, nearest: nearest(preset, known) });
}

/** The file of the preset with this name in a `.scorel` folder, trusted or not. */
export function presetFileIn(dir: string, preset: string): string | undefined {
  const presets = join(dir, "presets");
  return [join(presets, `${preset}.toml`), join(presets, preset, presetFile)].find((file) => existsSync(file));
}

/** The presets in a folder. Files come after preset folders, so that `name.toml` can change the preset in `name/`. */
function presetsIn(dir: string): { name: string; path: string }[] {
  const entries = entriesIn(dir).filter(({ name }) => name !== "node_modules");
  const files = entries.filter(({ name }) => name.endsWith(".toml"));
  const packages = entries.filter(
    (entry) => !entry.isFile() && !entry.name.startsWith(".") && existsSync(join(dir, entry.name, presetFile)),
  );
  return [
    ...packages.map(({ name }) => ({ name, path: join(dir, name, presetFile) })),
    ...files.map(({ name }) => ({ name: basename(name, ".toml"), path: join(dir, name) })),
  ];
}

function entriesIn(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "")) return [];
    throw errors.CONFIG_UNREADABLE({ file: dir, reason: (thrown as Error).message }, { cause: thrown });
  }
}
