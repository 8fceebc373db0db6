import { join, resolve, sep } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { isWithin } from "@scorel/kit/files/paths";
import { realOf } from "./looks.ts";

/** Whether a path, as it is named and as it is, lies in the project or the session's temporary folder. */
export function isInside(path: string, { root, temp, allowWrite }: Workspace): boolean {
  const real = realOf(path);
  if (real === undefined) return false;
  return [root, temp, ...allowWrite].some((folder) => isWithin(realOf(folder) ?? folder, real));
}

/** Whether a word names something that lies in the project by its name and outside of it by a link. */
export function leadsOut(word: string, workspace: Workspace): boolean {
  const named = resolve(workspace.cwd, word);
  return isWithin(workspace.root, named) && !isInside(named, workspace);
}

/** Whether a path is a part of git or of this program that runs or redirects. */
export function steers(path: string): boolean {
  return path
    .normalize("NFKC")
    .toLowerCase()
    .split(sep)
    .some((name) => /^\.(?:git|scorel)[. ]*$/.test(name));
}

/** Whether a path fits `src/**`: `*` within a name, `**` over folders; relative to the project, absolute, or from `~/`. */
export function fits(pattern: string, path: string, workspace: Workspace): boolean {
  return new RegExp(`^${sourceOf(pattern, workspace)}$`).test(path);
}

/** The paths that a rule keeps from being read: those that fit and all below them, also by names that differ in case only. */
export function coveredBy(pattern: string, workspace: Workspace): (path: string) => boolean {
  const covered = new RegExp(`^${sourceOf(pattern.normalize("NFC"), workspace)}(?:/.*)?$`, "i");
  // Comparing a longer path could take long, and hardly any file lies so deep.
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
