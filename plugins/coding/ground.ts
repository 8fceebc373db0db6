import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Environment } from "./environment.ts";
import { errors } from "./errors.ts";
import { refuseKeyStore } from "./key-store.ts";
import { mayBeEncoded } from "./names.ts";
import { requireSame } from "./open-place.ts";
import { absolute, locate, type Place, shownAs } from "./paths.ts";
import { plainGlob } from "./plain-glob.ts";
import { namesIn, ripgrep, type Search } from "./ripgrep.ts";

const FOLDER = "./";

/** Where a search happens, and how its names are shown. */
export interface Ground extends Search, AsyncDisposable {
  /** What is searched, for ripgrep: all of the folder, or one file. */
  target: string;
  /** The name of the one file that is searched, below `cwd`, however ripgrep calls it. */
  file?: string;
  /** A name that ripgrep gave, as messages name it. */
  shown(name: string): string;
  /** Whether a file of this name is left out, since it may not be read. A file that was asked for by itself never is. */
  hides(name: string): boolean;
  /** Byte ranges of secrets in a line, which is shown in part. */
  secretsIn: Environment["secretsIn"];
}

interface Asked {
  path: string | undefined;
  shows: "names" | "contents";
  /** What the call was approved to read, where that was judged. */
  approved: readonly string[] | undefined;
  signal: AbortSignal | undefined;
}

/**
 * A folder, or one file of a folder, held open until it is disposed. Throws SEARCH_PATH and SEARCH_KIND, and FILE_SWAPPED where
 * it is not what was approved.
 */
export async function groundOf({ path, shows, approved, signal }: Asked, env: Environment): Promise<Ground> {
  const { workspace } = env;
  const place = await locate(path ?? ".", workspace);
  const handle = await opened(place);
  try {
    const held = await requireSame(handle, place, approved);
    const stats = await handle.stat();
    const isFolder = stats.isDirectory();
    if (!isFolder) await refuseKeyStore(place, stats, workspace);
    const cwd = isFolder ? place.path : dirname(place.path);
    const hides = isFolder ? await env.hiddenIn(cwd, shows) : () => false;
    return {
      cwd,
      env: env.childEnv(),
      signal,
      ...(isFolder ? folderAt(held) : fileAt(held, basename(place.path), handle.fd)),
      shown: (name) => shownAs(join(cwd, name), workspace.cwd),
      hides: (name) => hides(cwd === "/" ? `/${name}` : `${cwd}/${name}`),
      secretsIn: env.secretsIn,
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function opened(place: Place): Promise<FileHandle> {
  const stats: Stats | undefined = await stat(place.raw).catch(() => undefined);
  if (!stats) throw errors.SEARCH_PATH({ path: place.shown });
  if (typeof place.raw !== "string")
    throw errors.SEARCH_FAILED({
      reason: `${place.shown} is no UTF-8 name, which ripgrep cannot be given. Search the folder above it.`,
    });
  // Whoever reads a FIFO or a device may wait for ever.
  if (!stats.isDirectory() && !stats.isFile()) throw errors.SEARCH_KIND({ path: place.shown });
  return await open(place.raw, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** ripgrep is started in the folder that is open. */
function folderAt(held: string | undefined) {
  return { target: FOLDER, ...(held !== undefined && { heldCwd: held }) };
}

/** ripgrep is given the file that is open as its standard input. */
function fileAt(held: string | undefined, file: string, fd: number) {
  return held === undefined ? { target: `./${file}`, file } : { target: "/proc/self/fd/0", file, input: fd };
}

/** Options for what is hidden: only when it was asked for, also by a name that begins with a dot. */
export function hiddenOptions(asked: boolean | undefined, glob: string | undefined): string[] {
  const named = glob !== undefined && /(^|[/{,!])\.[^./]/.test(glob);
  return asked || named ? ["--hidden", "--glob=!.git"] : [];
}

interface Where {
  path?: string | undefined;
  pattern: string;
}

/** Folder and glob of a search: a pattern may itself name a folder elsewhere, when no path is given. */
export async function whereOf({ path, pattern }: Where, env: Environment): Promise<Where> {
  const split = path === undefined ? splitPattern(pattern) : { pattern };
  if (split.path === undefined) return { path, pattern };
  const stats = await stat(absolute(split.path, env.workspace)).catch(() => undefined);
  return stats?.isDirectory() ? split : { path, pattern };
}

/** A pattern that leads elsewhere, as the folder it names without wildcards, and the rest. */
function splitPattern(pattern: string): Where {
  if (!/^(\/|~\/|\.\.\/)/.test(pattern)) return { pattern };
  const names = pattern.split("/");
  const wild = names.findIndex((name) => /[*?[{]/.test(name));
  const end = wild < 0 ? names.length - 1 : wild;
  const path = names.slice(0, end).join("/");
  return path === "" ? { pattern } : { path, pattern: `/${names.slice(end).join("/")}` };
}

/** The glob as ripgrep wants it: relative to the searched folder. */
export function globOption(glob: string, ground: Ground): string {
  return `--glob=${withinGround(glob, ground)}`;
}

function withinGround(glob: string, { cwd }: Ground): string {
  const within = glob.startsWith(`${cwd}/`) ? glob.slice(cwd.length) : glob;
  return within.replace(/^\.\//, "/");
}

/** The files that match a glob and that no ignore file names, in no order. */
export async function filesOf(ground: Ground, options: readonly string[], glob: string | undefined): Promise<string[]> {
  if (glob === undefined) return (await listed(ground, options)).filter((name) => !ground.hides(name));
  const matches = ground.target === FOLDER ? plainGlob(withinGround(glob, ground)) : undefined;
  if (!matches) return matching(ground, options, glob);
  const names = await listed(ground, options);
  // A name that is no UTF-8 is written with letters of its own.
  if (names.some(mayBeEncoded)) return matching(ground, options, glob);
  return names.filter((name) => matches(name) && !ground.hides(name));
}

/** ripgrep alone lets a glob overrule ignore files, so its answers with and without the glob are intersected. */
async function matching(ground: Ground, options: readonly string[], glob: string): Promise<string[]> {
  const [all, found] = await Promise.all([
    listed(ground, options),
    listed(ground, [...options, globOption(glob, ground)]),
  ]);
  const kept = new Set(all);
  return found.filter((name) => kept.has(name) && !ground.hides(name));
}

async function listed(ground: Ground, options: readonly string[]): Promise<string[]> {
  return namesIn(await ripgrep(["--files", "--null", ...options, "--", ground.target], ground));
}
