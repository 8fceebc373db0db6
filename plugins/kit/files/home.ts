import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { errors } from "../errors.ts";
import { canonical } from "./paths.ts";
import { isFolderAt } from "./readable.ts";
import { projectPlace } from "./worktree-place.ts";

/** The file that makes a folder a preset. */
export const presetFile = "preset.toml";

/** The user's own folder, `~/.scorel`. Throws CONFIG_HOME. */
export const userDir = () => join(userHome(), ".scorel");

/** The folder of the user's presets, which are TOML files and folders; some of the folders were installed. */
export const presetsDir = () => join(userDir(), "presets");

/** The folder of installed extensions. Those that the user wrote are in `extensions` beside it. */
export const packagesDir = () => join(userDir(), "packages");

/**
 * The `.scorel` folder of the project that `directory` (a canonical path) is in: the nearest one from there up to the git root. Outside of
 * git, only the one in `directory` itself counts. For a worktree that Scorel has created, returns the folder of the checkout. `~/.scorel`
 * is never a project's folder.
 */
export function projectDir(directory: string): string | undefined {
  const cwd = projectPlace(directory);
  const home = canonical(userHome());
  const own = join(home, ".scorel");
  const top = gitRoot(cwd, home) ?? cwd;
  for (let dir = cwd; ; dir = dirname(dir)) {
    const candidate = join(dir, ".scorel");
    if (candidate !== own && isFolderAt(candidate)) return candidate;
    if (dir === top || dir === dirname(dir)) return undefined;
  }
}

/** The git root of a directory, else the directory itself. `cwd` is canonical. */
export function rootOf(cwd: string): string {
  return gitRoot(cwd, canonical(userHome())) ?? cwd;
}

/** The roots of all repositories around a directory, the innermost first, up to the home directory. `cwd` is canonical. */
export function rootsAround(cwd: string): string[] {
  const home = canonical(userHome());
  const roots: string[] = [];
  for (let from = cwd; ; from = dirname(from)) {
    const root = gitRoot(from, home);
    if (root !== undefined) roots.push(root);
    from = root ?? from;
    if (root === undefined || root === dirname(root)) return roots;
  }
}

/** The user's home directory. Throws CONFIG_HOME for a relative HOME, which would mean a different folder in each directory. */
export function userHome(): string {
  try {
    const home = homedir();
    if (isAbsolute(home)) return home;
  } catch (thrown) {
    throw errors.CONFIG_HOME({ reason: "HOME is not set, and this user has none in the system" }, { cause: thrown });
  }
  throw errors.CONFIG_HOME({ reason: `HOME is ${JSON.stringify(process.env.HOME)}, which is not a full path` });
}

/** The nearest directory with a `.git`, from `cwd` upwards. The home directory and those above it are not considered. */
function gitRoot(cwd: string, home: string): string | undefined {
  for (let dir = cwd; dir !== home; dir = dirname(dir)) {
    if (existsSync(join(dir, ".git"))) return dir;
    if (dir === dirname(dir)) return undefined;
  }
  return undefined;
}
