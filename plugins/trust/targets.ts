import { existsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { presetFile, projectDir, rootOf, userHome } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { isFileAt, isFolderAt } from "@scorel/kit/files/readable";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import { MCP_JSON } from "@scorel/kit/schema/mcp-json";

/** Folders of a project that are read only after the user trusts them. */
export interface TrustTarget {
  /**
   * The folder that is trusted: the one that holds `.scorel`, else the project's root. For skills nested in the project, the
   * folder with skills that is nearest to the working directory.
   */
  path: string;
  /** The root of the git repository, else the directory itself. */
  root: string;
  /** The path of the `.scorel` folder, which need not exist. */
  scorel: string;
  /** The folders to be read, such as `.scorel` and `.claude/skills`, and the file `.mcp.json`; only existing ones. */
  folders: string[];
}

/** The files that are trusted with a preset that is named by its path. All paths are canonical. */
export interface PresetTarget {
  /** The path that is trusted: the folder if the preset is a folder with preset.toml, else the file. */
  path: string;
  folder: string;
  /** The name of the file in its folder. */
  entry: string;
  isPackage: boolean;
}

const sharedSkills = [".agents/skills", ".claude/skills"];
const besides = [...sharedSkills, ".claude/commands", ".claude/agents"];

/**
 * The project folders that need trust in a directory; undefined if there are none. A worktree that Scorel made has its
 * checkout's folders instead of its own. `directory` is canonical.
 */
export function targetOf(directory: string): TrustTarget | undefined {
  const cwd = projectPlace(directory);
  const home = canonical(userHome());
  const root = rootOf(cwd);
  const dir = projectDir(cwd);
  // Files in the home directory itself are the user's own and need no trust.
  const shared = between(dir === undefined ? root : dirname(dir), root).flatMap((at) => joined(at, sharedSkills));
  const folders = [...shared, ...joined(root, besides)].filter(isFolderAt);
  const others = root === home ? [] : [...folders, ...joined(root, [MCP_JSON]).filter(isFileAt)];
  if (dir === undefined && others.length === 0) return undefined;
  const scorel = dir ?? join(root, ".scorel");
  return { path: dirname(scorel), root, scorel, folders: dir === undefined ? others : [dir, ...others] };
}

/**
 * Like `targetOf`, followed by a second target for the skills in folders between the project's and `cwd`. The two are trusted
 * separately: trusting or distrusting one does not change the other. `directory` is canonical.
 */
export function targetsOf(directory: string): TrustTarget[] {
  const cwd = projectPlace(directory);
  const project = targetOf(cwd);
  const root = project?.root ?? rootOf(cwd);
  const above = project?.path ?? root;
  const holders = between(cwd, above)
    .map((at) => ({ at, folders: joined(at, sharedSkills).filter(isFolderAt) }))
    .filter(({ folders }) => folders.length > 0);
  const [nearest] = holders;
  if (!nearest) return project ? [project] : [];
  const folders = holders.flatMap((holder) => holder.folders);
  const nested = { path: nearest.at, root, scorel: join(nearest.at, ".scorel"), folders };
  return project ? [project, nested] : [nested];
}

/** The folder or file to trust for the preset in this file. */
export function presetTargetOf(file: string): PresetTarget {
  const [folder, entry] = [dirname(file), basename(file)];
  const isPackage = entry === presetFile;
  return { path: isPackage ? folder : file, folder, entry, isPackage };
}

/**
 * The preset at the path of a file or folder, if it needs trust of its own. Undefined for everything else, and for a
 * folder that is itself a project with folders to trust: the path then means that project.
 */
export function presetAt(path: string): PresetTarget | undefined {
  const real = canonical(path);
  if (real.split(sep).includes(".scorel")) return undefined;
  if (!isFolderAt(real)) return real.endsWith(".toml") && existsSync(real) ? presetTargetOf(real) : undefined;
  const file = join(real, presetFile);
  return existsSync(file) && targetOf(real)?.path !== real ? presetTargetOf(file) : undefined;
}

function joined(folder: string, paths: readonly string[]): string[] {
  return paths.map((path) => join(folder, path));
}

/** A folder and the folders above it, up to but without `top`. */
function between(folder: string, top: string): string[] {
  return folder === top || folder === dirname(folder) ? [] : [folder, ...between(dirname(folder), top)];
}
