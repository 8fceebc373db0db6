import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ScorelError } from "@scorel/kernel";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import { SHARED, upTo } from "./roots.ts";

/** The error for a skill that does not exist, or that a project has which is not trusted. Only the existence of its file is checked. */
export function missingSkill(
  name: string,
  skills: readonly { name: string }[],
  workspace: Workspace | undefined,
): ScorelError {
  const path = workspace && untrustedPath(name, workspace);
  if (path !== undefined) return errors.SKILL_UNTRUSTED({ name, path });
  return errors.SKILL_UNKNOWN({ name, known: skills.map((each) => each.name) });
}

/** Matches names that are those of a folder directly in another one. */
const FOLDER = /^\w[\w.-]*$/;
/** The most skills of an untrusted project that are named. */
const MOST = 100;

/** The names of the skills that are not used, because their project is not trusted. Only the existence of their files is checked. */
export function untrustedSkills(workspace: Workspace): string[] {
  const names = untrustedFolders(workspace).flatMap((folder) =>
    namesIn(folder).filter((name) => FOLDER.test(name) && existsSync(join(folder, name, "SKILL.md"))),
  );
  return [...new Set(names)].sort().slice(0, MOST);
}

function untrustedPath(name: string, workspace: Workspace): string | undefined {
  if (!FOLDER.test(name)) return undefined;
  return untrustedFolders(workspace)
    .map((folder) => join(folder, name, "SKILL.md"))
    .find((path) => existsSync(path));
}

/** The places for skills in a project that is not trusted. */
function untrustedFolders({ cwd, home, root, trusted }: Workspace): string[] {
  if (trusted !== undefined) return [];
  const places = [join(".scorel", "skills"), ...SHARED];
  // Those in the home are the user's own.
  const folders = upTo(projectPlace(root), cwd).filter((folder) => folder !== home);
  return folders.flatMap((folder) => places.map((place) => join(folder, place)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
