import { relative, sep } from "node:path";
import type { SessionHeader } from "@scorel/kernel";

/**
 * Returns a function for paths in checkpoints, which are relative to the project's root. The user may have moved the folder of the session
 * within the project since, so that its files are elsewhere now. Undefined for a path that is not in the project any more.
 */
export function movedPaths(
  { meta }: SessionHeader,
  now: { root: string; cwd: string },
): (path: string) => string | undefined {
  const { root, cwd } = meta as { root?: string; cwd?: string };
  if (root === undefined || cwd === undefined) return (path) => path;
  const [from, to] = withoutCommonEnd(segments(root, cwd), segments(now.root, now.cwd));
  if (from.length === 0) return (path) => path;
  return (path) => {
    const parts = path.split("/");
    if (from.every((name, index) => parts[index] === name)) return [...to, ...parts.slice(from.length)].join("/");
    // The folder has become a project of its own, to which the other files do not belong.
    return to.length === 0 ? undefined : path;
  };
}

function segments(root: string, folder: string): string[] {
  return relative(root, folder).split(sep).filter(Boolean);
}

/** Removes the names at the end of both paths that are the same: what is left has changed. */
function withoutCommonEnd(a: readonly string[], b: readonly string[]): [string[], string[]] {
  let same = 0;
  while (same < a.length && same < b.length && a.at(-1 - same) === b.at(-1 - same)) same++;
  return [a.slice(0, a.length - same), b.slice(0, b.length - same)];
}
