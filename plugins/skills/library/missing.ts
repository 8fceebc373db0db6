import { existsSync } from "node:fs";
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

function untrustedPath(name: string, { cwd, root, trusted }: Workspace): string | undefined {
  // Only such a name is that of a folder directly in another one.
  if (trusted !== undefined || !/^\w[\w.-]*$/.test(name)) return undefined;
  return upTo(projectPlace(root), cwd)
    .flatMap((folder) => [join(".scorel", "skills"), ...SHARED].map((skills) => join(folder, skills, name, "SKILL.md")))
    .find((path) => existsSync(path));
}
