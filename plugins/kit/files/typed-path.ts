import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * The absolute form of a path that a person or a model has typed, as a shell reads it: `~` is the home folder, and a relative path starts at
 * `from`. Links are not resolved.
 */
export function typedPath(path: string, from: string, home = homedir()): string {
  return path === "~" || path.startsWith("~/") ? resolve(join(home, path.slice(1))) : resolve(from, path);
}
