import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { presetFile, projectDir, rootOf, userHome } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";

/** What a project has that nothing may read before the user trusts it. */
export interface TrustGround {
  /**
   * What trust is given to: the folder that holds `.scorel`, else the project's root; for skills nested in the project, the
   * nearest folder to the working directory that has some.
   */
  path: string;
  /** The git root, else the directory itself. */
  root: string;
  /** The `.scorel` folder, or where it would be. */
  scorel: string;
  /** Those that exist. */
  folders: string[];
}

/** A preset that is named by its path, as far as trust goes. Its paths are canonical. */
export interface PresetGround {
  /** What trust is given to: the folder of a preset that is one, else the file. */
  path: string;
  folder: string;
  /** The name of the file in its folder. */
  entry: string;
  isPackage: boolean;
}

const sharedSkills = [".agents/skills", ".claude/skills"];
const besides = [...sharedSkills, ".claude/commands"];

/** What there is to trust for a directory; undefined for most. `cwd` is canonical. */
export function groundOf(cwd: string): TrustGround | undefined {
  const home = canonical(userHome());
  const root = rootOf(cwd);
  const dir = projectDir(cwd);
  // What lies in the home itself is the user's own.
  const shared = between(dir === undefined ? root : dirname(dir), root).flatMap((at) => joined(at, sharedSkills));
  const others = root === home ? [] : [...shared, ...joined(root, besides)].filter(isDirectory);
  if (dir === undefined && others.length === 0) return undefined;
  const scorel = dir ?? join(root, ".scorel");
  return { path: dirname(scorel), root, scorel, folders: dir === undefined ? others : [dir, ...others] };
}

/**
 * The same, with the skills of folders between the project's and `cwd` as a ground of their own, second: trusting the project
 * says nothing about them, and what is said about them leaves the project's trust as it is. `cwd` is canonical.
 */
export function groundsOf(cwd: string): TrustGround[] {
  const project = groundOf(cwd);
  const root = project?.root ?? rootOf(cwd);
  const above = project?.path ?? root;
  const holders = between(cwd, above)
    .map((at) => ({ at, folders: joined(at, sharedSkills).filter(isDirectory) }))
    .filter(({ folders }) => folders.length > 0);
  const [nearest] = holders;
  if (!nearest) return project ? [project] : [];
  const folders = holders.flatMap((holder) => holder.folders);
  const nested = { path: nearest.at, root, scorel: join(nearest.at, ".scorel"), folders };
  return project ? [project, nested] : [nested];
}

/** What there is to trust when a preset is named by this file. */
export function presetGroundOf(file: string): PresetGround {
  const [folder, entry] = [dirname(file), basename(file)];
  const isPackage = entry === presetFile;
  return { path: isPackage ? folder : file, folder, entry, isPackage };
}

/**
 * The preset that a user means by the path of a file or folder, where it needs trust of its own; undefined for everything
 * else, and for a folder that is first of all a project with things to trust.
 */
export function presetAt(path: string): PresetGround | undefined {
  const real = canonical(path);
  if (real.split(sep).includes(".scorel")) return undefined;
  if (!isDirectory(real)) return real.endsWith(".toml") && existsSync(real) ? presetGroundOf(real) : undefined;
  const file = join(real, presetFile);
  return existsSync(file) && groundOf(real)?.path !== real ? presetGroundOf(file) : undefined;
}

function joined(folder: string, paths: readonly string[]): string[] {
  return paths.map((path) => join(folder, path));
}

/** A folder and those above it, up to but without `top`. */
function between(folder: string, top: string): string[] {
  return folder === top || folder === dirname(folder) ? [] : [folder, ...between(dirname(folder), top)];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
