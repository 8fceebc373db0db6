import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { errors } from "../errors.ts";
import { canonical } from "./paths.ts";

/** The file that makes a folder a preset. */
export const presetFile = "preset.toml";

/** The user's own folder, `~/.scorel`. Throws CONFIG_HOME. */
export const userDir = () => join(userHome(), ".scorel");

/** Where the user's presets are: files, and folders that were put there or installed. */
export const presetsDir = () => join(userDir(), "presets");

/**
 * The `.scorel` folder of the project that `cwd` is in: the nearest one from `cwd` up to the git root, or only that
 * of `cwd` outside of git. The user's own folder is never a project's. `cwd` is canonical.
 */
export function projectDir(cwd: string): string | undefined {
  const home = canonical(userHome());
  const own = join(home, ".scorel");
  const top = gitRoot(cwd, home) ?? cwd;
  for (let dir = cwd; ; dir = dirname(dir)) {
    const candidate = join(dir, ".scorel");
    if (candidate !== own && isDirectory(candidate)) return candidate;
    if (dir === top || dir === dirname(dir)) return undefined;
  }
}

/** The git root of a directory, else the directory itself. `cwd` is canonical. */
export function rootOf(cwd: string): string {
  return gitRoot(cwd, canonical(userHome())) ?? cwd;
}

/** The user's home directory. A relative HOME is refused: it would make a folder in whatever directory a command runs in. */
export function userHome(): string {
  try {
    const home = homedir();
    if (isAbsolute(home)) return home;
  } catch (thrown) {
    throw errors.CONFIG_HOME({ reason: "HOME is not set, and this user has none in the system" }, { cause: thrown });
  }
  throw errors.CONFIG_HOME({ reason: `HOME is ${JSON.stringify(process.env.HOME)}, which is no full path` });
}

/** The nearest directory with a `.git`, below the home directory only. */
function gitRoot(cwd: string, home: string): string | undefined {
  for (let dir = cwd; dir !== home; dir = dirname(dir)) {
    if (existsSync(join(dir, ".git"))) return dir;
    if (dir === dirname(dir)) return undefined;
  }
  return undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
