import { existsSync } from "node:fs";
import { join } from "node:path";
import { rootOf, userDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";

/**
 * The user's own settings for the project that a directory is in: `~/.scorel/projects/<projectId>.toml`, where what a person has
 * allowed for one project is kept. By the project's id, so that they stay with it when it moves; nothing in the project names them.
 */
export async function ownLayerOf(cwd: string): Promise<string | undefined> {
  if (!existsSync(join(userDir(), "projects"))) return undefined;
  const { openBook } = await import("@scorel/projects/book");
  const root = rootOf(canonical(cwd));
  const project = openBook(join(userDir(), "projects.json")).of({ cwd: root, root, createdAt: Date.now() });
  // A project around this one is another.
  return project?.directory === root ? join(userDir(), "projects", `${project.projectId}.toml`) : undefined;
}
