import { realpathSync } from "node:fs";
import { dirname, join, normalize, posix, relative } from "node:path";
import { codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { errors } from "./errors.ts";

/**
 * A path below `root` as an absolute one, whatever links stand on its way: what exists of it lies inside. `what` names it in
 * errors. Throws RUN_PATH.
 */
export function inside(root: string, path: string, what: string): string {
  const fail = (reason: string) => errors.RUN_PATH({ what, path, reason });
  if (path.includes("\0") || path.includes("\\")) throw fail("it has a character that no path here has");
  if (path.startsWith("/")) throw fail("it has to be relative to the workspace");
  const plain = posix.normalize(path);
  if (plain === ".." || plain.startsWith("../")) throw fail("it leads out of the workspace");
  const full = join(root, plain);
  if (!isWithin(root, realIn(full, fail))) throw fail("a link on its way leads out of the workspace");
  return full;
}

function realIn(path: string, fail: (reason: string) => Error): string {
  try {
    return realOf(path);
  } catch (thrown) {
    throw fail(`it cannot be looked at (${codeOf(thrown)})`);
  }
}

/** Where a path leads: that of its nearest part that exists, with the rest behind it. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(thrown)) || path === dirname(path)) throw thrown;
    return join(realOf(dirname(path)), relative(dirname(path), path));
  }
}

/** `$NAME` or `${NAME}` at the beginning of a path, with what follows it. */
const VARIABLE = /^\$(?:\{(\w+)\}|(\w+))(?=$|[/\\])(.*)$/s;

/**
 * The folder that a command works in: empty is the skill's own, as is what a relative path begins at; a folder's variable or an
 * absolute path begins at the workspace. Throws RUN_PATH.
 */
export function workingDirectory(
  cwd: string,
  { root, skill, folders }: { root: string; skill: string; folders: Readonly<Record<string, string>> },
): string {
  const given = cwd.trim();
  const [, braced, plain, rest = ""] = VARIABLE.exec(given) ?? [];
  const name = braced ?? plain;
  const named = name === undefined ? undefined : folders[name];
  if (name !== undefined && named === undefined)
    throw errors.RUN_PATH({ what: "cwd", path: cwd, reason: `only ${Object.keys(folders).join(", ")} are known` });
  if (named !== undefined) return inside(root, relative(root, named) + rest, "cwd");
  if (given.startsWith("/")) return fromTop(root, given, cwd);
  const path = join(relative(root, skill), normalize(given));
  // Told as it was given: what it comes to says nothing to whoever gave it.
  if (!isWithin(root, join(root, path))) throw outside(cwd);
  return inside(root, path, "cwd");
}

function outside(cwd: string) {
  return errors.RUN_PATH({ what: "cwd", path: cwd, reason: "it leads out of the workspace" });
}

/** `/work/x` is the workspace's own; nothing else that is absolute lies in it, but for what is told as its real path. */
function fromTop(root: string, given: string, cwd: string): string {
  if (isWithin(root, given)) return inside(root, relative(root, given), "cwd");
  const [top = ""] = given.slice(1).split("/");
  if (top === "" || ["skills", "work", "out", "runs"].includes(top)) return inside(root, given.slice(1) || ".", "cwd");
  throw outside(cwd);
}

const FOLDERS: Readonly<Record<string, string>> = {
  WORKSPACE_DIR: ".",
  SKILLS_DIR: "skills",
  WORK_DIR: "work",
  OUTPUT_DIR: "out",
};

/** A glob with the workspace's variables replaced; `run` is the folder of this run, below the workspace. */
export function plainGlob(glob: string, run: string): string {
  const text = glob.trim();
  const [, braced, plain, rest = ""] = VARIABLE.exec(text) ?? [];
  const folder = { ...FOLDERS, RUN_DIR: run }[braced ?? plain ?? ""];
  const whole = folder === undefined ? text : folder + rest;
  return posix.normalize(whole).replace(/^\.\//, "");
}
