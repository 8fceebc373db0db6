import { join, resolve, sep } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import type { Workspace } from "@scorel/workspace/contract";
import { leadsTo } from "./file-cache.ts";

/** Whether a path's real location is in the project, the session's temporary folder or an extra writable folder. */
export function isInside(path: string, { root, temp, allowWrite }: Workspace): boolean {
  const real = leadsTo(path);
  if (real === undefined) return false;
  return [root, temp, ...allowWrite].some((folder) => isWithin(leadsTo(folder) ?? folder, real));
}

/** Whether a word names a path inside the project that a link leads out of it. */
export function leadsOut(word: string, workspace: Workspace): boolean {
  const named = resolve(workspace.cwd, word);
  return isWithin(workspace.root, named) && !isInside(named, workspace);
}

/** Whether a path is inside `.git` or `.scorel`, whose files can make git or Scorel run programs. */
export function isControlPath(path: string): boolean {
  return path
    .normalize("NFKC")
    .toLowerCase()
    .split(sep)
    .some((name) => /^\.(?:git|scorel)[. ]*$/.test(name));
}

/**
 * Whether a path matches a glob: `*` within a name, `**` across folders. A glob is relative to the project, absolute, or starts
 * with `~/`.
 */
export function fits(pattern: string, path: string, workspace: Workspace): boolean {
  return new RegExp(`^${sourceOf(pattern, workspace)}$`).test(path);
}

/** A test for the paths that a rule protects: matches and everything below them, ignoring case. */
export function coveredBy(pattern: string, workspace: Workspace): (path: string) => boolean {
  const covered = new RegExp(`^${sourceOf(pattern.normalize("NFC"), workspace)}(?:/.*)?$`, "i");
  // Matching a longer path could be slow, and real files are rarely that deep.
  return (path) => path.length > MAX_COMPARED || covered.test(path.normalize("NFC"));
}

function sourceOf(pattern: string, { root, home }: Workspace): string {
  const base = pattern.startsWith("~/") ? join(home, pattern.slice(2)) : resolve(root, pattern);
  return base
    .split(/(\/\*\*$|\*\*\/|\*\*|\*|\\[\\*])/)
    .map((part) => GLOBS[part] ?? literal(part))
    .join("");
}

const MAX_COMPARED = 1_000;

const GLOBS: Readonly<Record<string, string>> = { "/**": "(?:/.*)?", "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" };

function literal(part: string): string {
  return part.replace(/^\\([\\*])$/, "$1").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
