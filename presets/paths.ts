import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { errors } from "./errors.ts";

/** The user's own folder: fixed by convention, moved only by moving HOME. Throws CONFIG_HOME. */
export const userDir = () => join(userHome(), ".scorel");

/** A home that is not a full path would make a folder in whatever directory one stands in. */
function userHome(): string {
  try {
    const home = homedir();
    if (isAbsolute(home)) return home;
  } catch (thrown) {
    throw errors.CONFIG_HOME({ reason: "HOME is not set, and this user has none in the system" }, { cause: thrown });
  }
  throw errors.CONFIG_HOME({ reason: `HOME is ${JSON.stringify(process.env.HOME)}, which is no full path` });
}

/** The `.scorel` folder of a project, and whether anything in it may be read. */
export interface Project {
  dir: string;
  trusted: boolean;
}

/** The presets that come with Scorel: beside this file, in the sources as in the bundle's folders. */
export const shippedPresets = fileURLToPath(new URL("../presets/", import.meta.url));

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

/** Whether `path` is `dir` or lies below it; both absolute. */
export function isWithin(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}

function gitRoot(cwd: string, home: string): string | undefined {
  for (let dir = cwd; dir !== home; dir = dirname(dir)) {
    if (existsSync(join(dir, ".git"))) return dir;
    if (dir === dirname(dir)) return undefined;
  }
  return undefined;
}

/** Without links, as far as it exists. */
export function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
