import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { canonical } from "@scorel/kit/files/paths";
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
  /** As people see it; it need not exist when only other folders are there to be trusted. */
  dir: string;
  trusted: boolean;
  /** Where its bytes are read: the private copy of what is trusted. Default: `dir` itself. */
  files?: string;
  /** The folder that stands for the project's root when trusted files are read. */
  root?: string;
  /** Skills of folders that lie nearer to the working directory, which are trusted on their own; absent when none are. */
  nested?: NestedSkills;
  /** What the user is told about it. */
  notice?: string;
}

/** Trusted folders of skills between the one that holds `.scorel` and the working directory, such as those of a package. */
export interface NestedSkills {
  /** The nearest to the working directory first. */
  folders: readonly string[];
  /** The folder that stands for the project's root when they are read. */
  root: string;
}

/** Where a file of a trusted project is read. */
export const filesOf = ({ dir, files = dir }: Project): string => files;

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

const sharedSkills = [".agents/skills", ".claude/skills"];
const besides = [...sharedSkills, ".claude/commands"];

/** The presets that come with Scorel: beside this file, in the sources as in the bundle's folders. */
export const shippedPresets = fileURLToPath(new URL("../presets/", import.meta.url));

/** What the build makes for those who write extensions; a command that runs from its sources has none. */
export const typesProject = fileURLToPath(new URL("../types/tsconfig.json", import.meta.url));

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

/** What there is to trust for a directory; undefined for most. `cwd` is canonical. */
export function groundOf(cwd: string): TrustGround | undefined {
  const home = canonical(userHome());
  const root = gitRoot(cwd, home) ?? cwd;
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

function joined(folder: string, paths: readonly string[]): string[] {
  return paths.map((path) => join(folder, path));
}

/** A folder and those above it, up to but without `top`. */
function between(folder: string, top: string): string[] {
  return folder === top || folder === dirname(folder) ? [] : [folder, ...between(dirname(folder), top)];
}

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
