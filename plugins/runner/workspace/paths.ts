import { realpathSync } from "node:fs";
import { dirname, join, normalize, posix, relative } from "node:path";
import { codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { errors } from "../errors.ts";

/**
 * The absolute path of a path relative to `root`, which links on the way must not leave. `what` names it in errors. Throws
 * RUN_PATH.
 */
export function inside(root: string, path: string, what: string): string {
  const fail = (reason: string) => errors.RUN_PATH({ what, path, reason });
  if (path.includes("\0") || path.includes("\\")) throw fail("it contains a character that is not allowed in paths");
  if (path.startsWith("/")) throw fail("it must be relative to the workspace");
  const plain = posix.normalize(path);
  if (plain === ".." || plain.startsWith("../")) throw fail("it leads out of the workspace");
  const full = join(root, plain);
  if (!isWithin(root, realIn(full, fail))) throw fail("its path contains a link that leads out of the workspace");
  return full;
}

function realIn(path: string, fail: (reason: string) => Error): string {
  try {
    return leadsTo(path);
  } catch (thrown) {
    throw fail(`it cannot be examined (${codeOf(thrown)})`);
  }
}

/** Where a path leads: the real path of its nearest existing part, followed by the rest. */
export function leadsTo(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!["ENOENT", "ENOTDIR"].includes(codeOf(thrown)) || path === dirname(path)) throw thrown;
    return join(leadsTo(dirname(path)), relative(dirname(path), path));
  }
}

/** `$NAME` or `${NAME}` at the start of a path, and the rest. */
const VARIABLE = /^\$(?:\{(\w+)\}|(\w+))(?=$|[/\\])(.*)$/s;

/**
 * The folder in which a command runs. An empty or relative path starts at the skill's folder; a folder variable or an absolute
 * path, at the workspace. Throws RUN_PATH.
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
  // The error shows the path as given: the resolved one would not help its author.
  if (!isWithin(root, join(root, path))) throw outside(cwd);
  return inside(root, path, "cwd");
}

function outside(cwd: string) {
  return errors.RUN_PATH({ what: "cwd", path: cwd, reason: "it leads out of the workspace" });
}

/**
 * `/work/x` means the workspace's `work/x`. Any other absolute path must be the real path of something inside the workspace.
 */
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

/** Replaces a workspace variable at the start of a glob. `run` is the run's folder, relative to the workspace. */
export function plainGlob(glob: string, run: string): string {
  const text = glob.trim();
  const [, braced, plain, rest = ""] = VARIABLE.exec(text) ?? [];
  const folder = { ...FOLDERS, RUN_DIR: run }[braced ?? plain ?? ""];
  const whole = folder === undefined ? text : folder + rest;
  return posix.normalize(whole).replace(/^\.\//, "");
}
