import * as fs from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { temporaryFolders } from "@scorel/kit/files/kept-outputs";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type {
  LockedSetting,
  NestedSkills,
  ParentSession,
  PresetPackage,
  SessionOption,
  SessionOptions,
  TrustedCopy,
  Workspace,
} from "@scorel/workspace/contract";
import { errors } from "./errors.ts";
import { optionsOf } from "./session-options.ts";

/** Returns the home directory according to HOME, which is read at each call. Throws HOST_HOME. */
export function homePath(): string {
  const home = homedir();
  if (!isAbsolute(home)) throw errors.HOST_HOME({ path: join(home, ".scorel"), reason: "HOME is not a full path" });
  return home;
}

/** Returns the home directory with symbolic links resolved, if it exists. */
export function homeDirectory(): string {
  const home = homePath();
  return fs.existsSync(home) ? fs.realpathSync(home) : home;
}

/** Returns the real path of a directory; throws HOST_CWD_INVALID. */
export function canonicalDirectory(path: string): string {
  try {
    const real = fs.realpathSync(path);
    if (fs.statSync(real).isDirectory()) return real;
  } catch (thrown) {
    const code = codeOf(thrown);
    throw errors.HOST_CWD_INVALID(
      { cwd: path, reason: code === "ENOENT" ? "it does not exist" : code },
      { cause: thrown },
    );
  }
  throw errors.HOST_CWD_INVALID({ cwd: path, reason: "it is not a directory" });
}

/**
 * Returns the git root at or above a directory, else the directory itself. Searches neither the home directory nor a directory with a
 * different owner, nor anything above them.
 */
export function projectRoot(cwd: string, home: string): string {
  if (!fs.existsSync(cwd)) return cwd;
  const owner = fs.statSync(cwd).uid;
  for (let at = cwd; ; at = dirname(at)) {
    if (at !== cwd && (at === home || fs.statSync(at).uid !== owner)) return cwd;
    if (fs.existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return cwd;
  }
}

/**
 * Creates the service `workspace` of a session, with the values of its `known` options. Its temporary folder is created on first access.
 */
export function createWorkspace(
  {
    sessionId,
    cwd,
    file,
    trusted,
    trustedCopy,
    nestedSkills,
    packages = [],
    locks = [],
    parent,
    ...options
  }: {
    sessionId: string;
    cwd: string;
    file?: string | undefined;
    trusted?: string | undefined;
    trustedCopy?: TrustedCopy | undefined;
    nestedSkills?: NestedSkills | undefined;
    packages?: readonly PresetPackage[] | undefined;
    locks?: readonly LockedSetting[] | undefined;
    parent?: ParentSession | undefined;
  } & SessionOptions,
  known?: readonly SessionOption[],
): Workspace {
  const home = homeDirectory();
  let temp: string | undefined;
  return {
    cwd,
    root: projectRoot(cwd, home),
    home,
    ...(file !== undefined && { file }),
    ...(trusted !== undefined && { trusted }),
    ...(trustedCopy !== undefined && { trustedCopy }),
    ...(nestedSkills !== undefined && { nestedSkills }),
    ...(packages.length > 0 && { packages }),
    ...(locks.length > 0 && { locks }),
    ...(parent && { parent }),
    get temp() {
      temp ??= makeTemporary(sessionId);
      return temp;
    },
    ...optionsOf(options, known),
    allowWrite: (options.allowWrite ?? []).map(canonicalDirectory),
  };
}

/** Creates the temporary folder; throws HOST_TEMPORARY. */
function makeTemporary(sessionId: string): string {
  try {
    return temporaryFolder(sessionId);
  } catch (thrown) {
    throw errors.HOST_TEMPORARY({ path: tmpdir(), reason: reasonOf(thrown) }, { cause: thrown });
  }
}

/**
 * Returns the same folder at each opening, so that files named in old results can be found. If another user owns or can enter that
 * folder, returns a new one.
 */
function temporaryFolder(sessionId: string): string {
  const folder = temporaryFolders();
  const path = join(folder, sessionId);
  if (isOurs(folder) && isOurs(path)) return path;
  return fs.mkdtempSync(join(dirname(folder), `scorel-${sessionId}-`));
}

function isOurs(path: string): boolean {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  const stat = fs.lstatSync(path);
  if (!stat.isDirectory()) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}
