import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { CheckContext, Part } from "./check-context.ts";
import type { Finding, FolderRow } from "./contract.ts";

/** Maximum number of entries below ~/.scorel that are checked, and maximum depth. */
const ENOUGH = 3_000;
const DEEPEST = 3;
/** Paths that code or trust is read from. If others can write them, Scorel refuses to use them. */
const GUARDED =
  /^(|extensions(\/.*)?|cache(\/.*)?|projects(\/.*)?|presets(\/.*)?|logins(\/.*)?|trust\.json|auth\.json|config\.toml)$/;
const SECRET = /^(?:auth\.json|logins(?:\/.*)?)$/;

/** Checks who can read and change the user's folder and its contents. Follows no links and changes nothing. */
export function checkFolders({ home }: Pick<CheckContext, "home">): Part & { folders: FolderRow[] } {
  if (home === undefined) return { folders: [], findings: [] };
  const stats = statOf(home);
  if (!stats) return { folders: [], findings: [missingFolder(home)] };
  if (stats instanceof Error) return { folders: [], findings: [unreadable(home, stats)] };
  const look: Look = { home, isPrivate: isClosed(stats), folders: [], findings: [], seen: 0 };
  examine(look, "", stats);
  if (stats.isDirectory()) {
    descend(look);
    const against = refusal(home);
    if (against && !look.findings.some(({ code }) => code === "FOLDER_UNREADABLE")) look.findings.push(against);
  }
  const files = look.seen > ENOUGH ? `the ${ENOUGH} files in it that were examined` : "the files in it";
  if (look.findings.length === 0)
    look.findings.push(finding("FOLDERS", "ok", `Only you can read and change your folder and ${files}.`, home, ""));
  return { folders: look.folders.sort((a, b) => (a.path < b.path ? -1 : 1)), findings: look.findings };
}

/** Checks whether the missing user folder can be created when it is needed. */
function missingFolder(home: string): Finding {
  const against = refusal(nearest(home));
  if (against) return { ...against, where: home, doNext: "Set HOME to a directory that you own." };
  const what = "It does not exist yet; it is created when something has to be saved.";
  return finding("FOLDER_NEW", "note", what, home, "");
}

/** Returns why a folder cannot be written to, or undefined. */
function refusal(folder: string): Finding | undefined {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return undefined;
  } catch (thrown) {
    const code = codeOf(thrown);
    const what = `Nothing can be written to it (${code}), so no session can be saved.`;
    const doNext =
      code === "EROFS"
        ? "Mount that disk for writing, or set HOME to another directory."
        : accessAdvice(folder, thrown);
    return finding("FOLDER_READ_ONLY", "error", what, folder, doNext);
  }
}

function nearest(path: string): string {
  return fs.existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}

interface Look {
  home: string;
  /** True when others cannot enter the folder, so that readable files inside it do no harm. */
  isPrivate: boolean;
  folders: FolderRow[];
  findings: Finding[];
  seen: number;
}

/**
 * Examines what is in the folder: first what is guarded, without the cache, then the cache, then the rest, each level by level. There may
 * be many thousand sessions, stored file contents and cached files, and the files that matter most must be examined before the limit is
 * reached.
 */
function descend(look: Look): void {
  const top = examineIn(look, [""]);
  for (const rank of [0, 1, 2]) {
    let level = top.filter((path) => rankOf(path) === rank);
    for (let depth = 2; depth <= DEEPEST; depth++) level = examineIn(look, level);
  }
}

/** Examines what is directly in these folders, up to the limit. Returns the folders in them. */
function examineIn(look: Look, parents: readonly string[]): string[] {
  const folders: string[] = [];
  for (const parent of parents)
    for (const name of namesIn(look, join(look.home, parent))) {
      if (++look.seen > ENOUGH) return [];
      const path = parent === "" ? name : `${parent}/${name}`;
      const stats = statOf(join(look.home, path));
      if (!stats || stats instanceof Error) continue;
      examine(look, path, stats);
      if (stats.isDirectory()) folders.push(path);
    }
  return folders;
}

function rankOf(path: string): number {
  if (!isGuarded(path)) return 2;
  return path === "cache" ? 1 : 0;
}

const isGuarded = (path: string) => GUARDED.test(path);

function namesIn({ findings }: Look, folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (thrown) {
    findings.push(unreadable(folder, thrown));
    return [];
  }
}

function examine({ home, isPrivate, folders, findings }: Look, path: string, stats: fs.Stats): void {
  const full = path === "" ? home : join(home, path);
  if (!path.includes("/") && (stats.isDirectory() || path === "")) folders.push({ path: full, mode: modeOf(stats) });
  const flaw = flawOf(full, path, stats, isPrivate);
  if (flaw) findings.push(flaw);
}

function flawOf(full: string, path: string, stats: fs.Stats, isPrivate: boolean): Finding | undefined {
  const word = shellWord(full);
  const guarded = isGuarded(path);
  const severity = guarded ? "error" : "warning";
  if (stats.isSymbolicLink()) return guarded ? linkFlaw(full, path) : undefined;
  if (path === "" && !stats.isDirectory())
    return finding("FOLDER_NONE", "error", "It is not a folder.", full, `rm ${word} && mkdir -m 700 ${word}`);
  // Windows has neither numeric owners nor mode bits.
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user && stats.uid !== 0)
    return finding("FOLDER_OWNER", severity, "It belongs to another user.", full, `sudo chown -R "$(id -un)" ${word}`);
  if (stats.mode & 0o022)
    return finding("FOLDER_WRITABLE", severity, "Other users can write it.", full, `chmod go-w ${word}`);
  if (SECRET.test(path) && stats.mode & 0o077)
    return finding(
      "FOLDER_READABLE",
      isPrivate ? "warning" : "error",
      "It holds keys, and other users may read it.",
      full,
      `chmod 600 ${word}`,
    );
  if (path === "" && stats.mode & 0o077)
    return finding(
      "FOLDER_READABLE",
      "warning",
      "Other users can read it, including sessions and settings.",
      full,
      `chmod 700 ${word}`,
    );
  return undefined;
}

/** Reports links to code or trust records. Other files, such as config.toml, are often linked and may be. */
function linkFlaw(full: string, path: string): Finding | undefined {
  if (!["", "extensions", "cache", "trust.json"].includes(path)) return undefined;
  const target = attempt(() => fs.realpathSync(full));
  const [link, there] = [shellWord(full), target === undefined ? undefined : shellWord(target)];
  const doNext = there === undefined ? `rm ${link}` : `rm ${link} && mv ${there} ${link}`;
  return finding("FOLDER_LINK", "error", "It is a link, so nothing is loaded through it.", full, doNext);
}

function unreadable(path: string, thrown: unknown): Finding {
  return finding(
    "FOLDER_UNREADABLE",
    "error",
    `It cannot be read (${codeOf(thrown)}).`,
    path,
    accessAdvice(path, thrown),
  );
}

function accessAdvice(path: string, thrown: unknown): string {
  const stats = statOf(path);
  if (codeOf(thrown) === "ENOTDIR" || !stats || stats instanceof Error) return "Set HOME to a directory that you own.";
  const isOwn = stats.uid === process.getuid?.();
  return isOwn ? `chmod u+rwx ${shellWord(path)}` : `sudo chown -R "$(id -un)" ${shellWord(path)}`;
}

/** Returns undefined for a missing path and the error for an unreadable one. */
function statOf(path: string): fs.Stats | Error | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    return thrown as Error;
  }
}

function isClosed({ mode }: fs.Stats): boolean {
  return process.getuid === undefined || (mode & 0o077) === 0;
}

/** Formats permissions like `ls`, without the file type. */
function modeOf({ mode }: fs.Stats): string {
  const bits = [...(mode & 0o777).toString(2).padStart(9, "0")];
  return bits.map((bit, index) => (bit === "1" ? "rwx"[index % 3] : "-")).join("");
}

function attempt<R>(work: () => R): R | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function finding(code: string, severity: Finding["severity"], what: string, where: string, doNext: string): Finding {
  return { code, severity, what, where, doNext };
}
