import * as fs from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { NestedSkills, PresetPackage, SessionOptions, TrustedCopy, Workspace } from "./contract.ts";
import { errors } from "./errors.ts";

/** The user's home directory as it is named. Read at each call: HOME decides. Throws HOST_HOME. */
export function homePath(): string {
  const home = homedir();
  if (!isAbsolute(home)) throw errors.HOST_HOME({ path: join(home, ".scorel"), reason: "HOME is no full path" });
  return home;
}

/** The same by its real path, where it exists. */
export function homeDirectory(): string {
  const home = homePath();
  return fs.existsSync(home) ? fs.realpathSync(home) : home;
}

/** The real path of a directory to work in; throws HOST_CWD_INVALID. */
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

/** The git root above a directory, else the directory; looks neither past home nor past another owner. */
export function projectRoot(cwd: string, home: string): string {
  if (!fs.existsSync(cwd)) return cwd;
  const owner = fs.statSync(cwd).uid;
  for (let at = cwd; ; at = dirname(at)) {
    if (at !== cwd && (at === home || fs.statSync(at).uid !== owner)) return cwd;
    if (fs.existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return cwd;
  }
}

/** Where a session works. Its temporary folder is made when first asked for. */
export function createWorkspace({
  sessionId,
  cwd,
  model,
  allowWrite = [],
  thinking,
  tools,
  appendSystemPrompt,
  permission,
  sandbox,
  attending,
  file,
  trusted,
  trustedCopy,
  nestedSkills,
  packages = [],
}: {
  sessionId: string;
  cwd: string;
  file?: string | undefined;
  trusted?: string | undefined;
  trustedCopy?: TrustedCopy | undefined;
  nestedSkills?: NestedSkills | undefined;
  packages?: readonly PresetPackage[] | undefined;
} & SessionOptions): Workspace {
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
    get temp() {
      temp ??= makeTemporary(sessionId);
      return temp;
    },
    allowWrite: allowWrite.map(canonicalDirectory),
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinking }),
    ...(tools !== undefined && { tools }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
    ...(permission !== undefined && { permission }),
    ...(sandbox !== undefined && { sandbox }),
    ...(attending !== undefined && { attending }),
  };
}

/** Throws HOST_TEMPORARY. */
function makeTemporary(sessionId: string): string {
  try {
    return temporaryFolder(sessionId);
  } catch (thrown) {
    throw errors.HOST_TEMPORARY({ path: tmpdir(), reason: codeOf(thrown) }, { cause: thrown });
  }
}

/** The same folder at each opening, so that files named in old results are found; a fresh one when someone else made it. */
function temporaryFolder(sessionId: string): string {
  const base = fs.realpathSync(tmpdir());
  const folder = join(base, `scorel-${process.getuid?.() ?? "user"}`);
  const path = join(folder, sessionId);
  if (isOurs(folder) && isOurs(path)) return path;
  return fs.mkdtempSync(join(base, `scorel-${sessionId}-`));
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
