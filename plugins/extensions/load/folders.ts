import { dirname, join } from "node:path";
import { userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import type { ExtensionFolder } from "../contract.ts";

/** The `.scorel` folder of a project, which need not exist. */
interface ProjectFolder {
  dir: string;
  trusted: boolean;
}

/** The folder of the user's own extensions. */
export const userFolder = (): ExtensionFolder => ({ of: "user", path: join(userDir(), "extensions"), trusted: true });

/** The folder of a project's extensions. */
export const projectFolder = ({ dir, trusted }: ProjectFolder): ExtensionFolder => ({
  of: "project",
  path: join(dir, "extensions"),
  trusted,
});

/** The folder of extensions that a file is in: of the user, of this project, or of another one; undefined if it is in none. */
export function folderOf(path: string, project: ProjectFolder): ExtensionFolder | undefined {
  const real = canonical(path);
  const known = [userFolder(), projectFolder(project)].find((folder) => isWithin(canonical(folder.path), real));
  return known ?? otherProject(real);
}

/** The `.scorel` folder of another project that a path is in. Its code is not trusted in this run. */
function otherProject(path: string): ExtensionFolder | undefined {
  if (isWithin(canonical(userDir()), path)) return undefined;
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir))
    if (dir.endsWith("/.scorel") || dir.endsWith("\\.scorel")) return { of: "project", path: dir, trusted: false };
  return undefined;
}
