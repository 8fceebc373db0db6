import { resolve } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import { typedPath } from "@scorel/kit/files/typed-path";
import { worktreeAround } from "@scorel/kit/files/worktree-place";
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

/**
 * Whether a path matches a glob: `*` within a name, `**` across folders. A glob is relative to the project, absolute, or starts
 * with `~/`.
 */
export function fits(pattern: string, path: string, workspace: Pick<Workspace, "root" | "home">): boolean {
  return new RegExp(`^${sourceOf(pattern, workspace)}$`, "s").test(path);
}

/**
 * Whether a path matches the glob of a rule that forbids. In a worktree that Scorel made, the pattern also applies in
 * the checkouts around it: to their files, and to the files of the worktree at the same relative paths.
 */
export function fitsForbidden(pattern: string, path: string, workspace: Workspace): boolean {
  return rootsOf(workspace.root).some((root) =>
    formsOf(path, workspace.root).some((form) => fits(pattern, form, { ...workspace, root })),
  );
}

/** A test for the paths that a rule protects: matches as `fitsForbidden`, and everything below them, ignoring case. */
export function coveredBy(pattern: string, workspace: Workspace): (path: string) => boolean {
  const covered = rootsOf(workspace.root).map(
    (root) => new RegExp(`^${sourceOf(pattern.normalize("NFC"), { ...workspace, root })}(?:/.*)?$`, "is"),
  );
  const isCovered = (path: string) => covered.some((each) => each.test(path.normalize("NFC")));
  // Matching a longer path could be slow, and real files are rarely that deep.
  return (path) => path.length > MAX_COMPARED || formsOf(path, workspace.root).some(isCovered);
}

/** The root of a session, and the roots of the checkouts that it is a worktree of. */
function rootsOf(root: string): string[] {
  const place = worktreeAround(root);
  return place ? [root, ...rootsOf(place.checkout)] : [root];
}

/** A path and, in a worktree, the paths of the same file in the checkouts around it. */
function formsOf(path: string, root: string): string[] {
  const place = isWithin(root, path) ? worktreeAround(root) : undefined;
  return place ? [path, ...formsOf(place.checkout + path.slice(root.length), place.checkout)] : [path];
}

function sourceOf(pattern: string, { root, home }: Pick<Workspace, "root" | "home">): string {
  return typedPath(pattern, root, home)
    .split(/(\/\*\*$|\*\*\/|\*\*|\*|\\[\\*])/)
    .map((part) => GLOBS[part] ?? literal(part))
    .join("");
}

const MAX_COMPARED = 1_000;

const GLOBS: Readonly<Record<string, string>> = { "/**": "(?:/.*)?", "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" };

function literal(part: string): string {
  return part.replace(/^\\([\\*])$/, "$1").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
