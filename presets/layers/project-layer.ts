import { existsSync } from "node:fs";
import { join } from "node:path";
import { rootOf, userDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { projectPlace } from "@scorel/kit/files/worktree-place";

/**
 * The file with the user's settings for the project around a directory, such as permissions granted there:
 * `~/.scorel/projects/<projectId>.toml`. It is named by the project's id, so that it still applies when the project moves.
 */
export async function ownLayerOf(cwd: string): Promise<string | undefined> {
  if (!existsSync(join(userDir(), "projects"))) return undefined;
  const { openBook } = await import("@scorel/projects/book");
  const root = rootOf(projectPlace(canonical(cwd)));
  const project = openBook(join(userDir(), "projects.json")).of({ cwd: root, root, createdAt: Date.now() });
  // The settings of a project in a parent directory do not apply.
  return project?.directory === root ? join(userDir(), "projects", `${project.projectId}.toml`) : undefined;
}
