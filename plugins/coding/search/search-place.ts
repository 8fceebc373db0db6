import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { mayBeEncoded } from "../files/names.ts";
import { requireSame } from "../files/open-place.ts";
import { absolute, locate, type Place, shownAs } from "../files/paths.ts";
import { refuseKeyStore } from "../guard/key-store.ts";
import { plainGlob } from "./plain-glob.ts";
import { namesIn, ripgrep, type Search } from "./ripgrep.ts";

const FOLDER = "./";

/** The place of a search, and how names are shown. */
export interface SearchPlace extends Search, AsyncDisposable {
  /** The argument for ripgrep: the folder, or one file. */
  target: string;
  /** The name of the searched file relative to `cwd`, if it is a single one. */
  file?: string;
  /** Converts a name from ripgrep to one for messages. */
  shown(name: string): string;
  /** Whether a file must be left out because it may not be read. A single requested file never is. */
  hides(name: string): boolean;
  /** Byte ranges of secrets in a line that is shown in part. */
  secretsIn: Environment["secretsIn"];
}

interface SearchRequest {
  path: string | undefined;
  shows: "names" | "contents";
  /** The paths that the call was approved to read, if it was judged by paths. */
  approved: readonly string[] | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Opens the folder or file to search; it stays open until disposed. Throws SEARCH_PATH, SEARCH_KIND, and FILE_SWAPPED if it is
 * not what was approved.
 */
export async function openSearchPlace(
  { path, shows, approved, signal }: SearchRequest,
  env: Environment,
): Promise<SearchPlace> {
  const { workspace } = env;
  const place = await locate(path ?? ".", workspace);
  const handle = await openFileOrFolder(place);
  try {
    const procPath = await requireSame(handle, place, approved);
    const stats = await handle.stat();
    const isFolder = stats.isDirectory();
    if (!isFolder) await refuseKeyStore(place, stats, workspace);
    const cwd = isFolder ? place.path : dirname(place.path);
    const hides = isFolder ? await env.hiddenIn(cwd, shows) : () => false;
    return {
      cwd,
      env: env.childEnv(),
      signal,
      ...(isFolder ? folderAt(procPath) : fileAt(procPath, basename(place.path), handle.fd)),
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

async function openFileOrFolder(place: Place): Promise<FileHandle> {
  const stats: Stats | undefined = await stat(place.raw).catch(() => undefined);
  if (!stats) throw errors.SEARCH_PATH({ path: place.shown });
  if (typeof place.raw !== "string")
    throw errors.SEARCH_FAILED({
      reason: `${place.shown} is not a UTF-8 name, so ripgrep cannot search it. Search its parent folder.`,
    });
  // Reading a FIFO or a device could block forever.
  if (!stats.isDirectory() && !stats.isFile()) throw errors.SEARCH_KIND({ path: place.shown });
  return await open(place.raw, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Starts ripgrep in the open folder. */
function folderAt(procPath: string | undefined) {
  return { target: FOLDER, ...(procPath !== undefined && { heldCwd: procPath }) };
}

/** Passes the open file to ripgrep as standard input. */
function fileAt(procPath: string | undefined, file: string, fd: number) {
  return procPath === undefined ? { target: `./${file}`, file } : { target: "/proc/self/fd/0", file, input: fd };
}

/** Includes hidden files if requested, or if the glob names one. */
export function hiddenOptions(asked: boolean | undefined, glob: string | undefined): string[] {
  const named = glob !== undefined && /(^|[/{,!])\.[^./]/.test(glob);
  return asked || named ? ["--hidden", "--glob=!.git"] : [];
}

interface FolderAndGlob {
  path?: string | undefined;
  pattern: string;
}

/** The folder and glob of a search. A pattern may start with another folder if no path is given. */
export async function folderAndGlob({ path, pattern }: FolderAndGlob, env: Environment): Promise<FolderAndGlob> {
  const split = path === undefined ? splitPattern(pattern) : { pattern };
  if (split.path === undefined) return { path, pattern };
  const stats = await stat(absolute(split.path, env.workspace)).catch(() => undefined);
  return stats?.isDirectory() ? split : { path, pattern };
}

/** Splits a pattern outside of the working directory into its literal folder and the rest. */
function splitPattern(pattern: string): FolderAndGlob {
  if (!/^(\/|~\/|\.\.\/)/.test(pattern)) return { pattern };
  const names = pattern.split("/");
  const wild = names.findIndex((name) => /[*?[{]/.test(name));
  const end = wild < 0 ? names.length - 1 : wild;
  const path = names.slice(0, end).join("/");
  return path === "" ? { pattern } : { path, pattern: `/${names.slice(end).join("/")}` };
}

/** The glob option for ripgrep, relative to the searched folder. */
export function globOption(glob: string, place: SearchPlace): string {
  return `--glob=${relativeToPlace(glob, place)}`;
}

function relativeToPlace(glob: string, { cwd }: SearchPlace): string {
  const within = glob.startsWith(`${cwd}/`) ? glob.slice(cwd.length) : glob;
  return within.replace(/^\.\//, "/");
}

/** The matching files that are not ignored, unsorted. */
export async function filesOf(
  place: SearchPlace,
  options: readonly string[],
  glob: string | undefined,
): Promise<string[]> {
  if (glob === undefined) return (await listFiles(place, options)).filter((name) => !place.hides(name));
  const matches = place.target === FOLDER ? plainGlob(relativeToPlace(glob, place)) : undefined;
  if (!matches) return matchesOf(place, options, glob);
  const names = await listFiles(place, options);
  // An escaped name looks different from the real one, so only ripgrep can match it.
  if (names.some(mayBeEncoded)) return matchesOf(place, options, glob);
  return names.filter((name) => matches(name) && !place.hides(name));
}

/** A glob overrides ignore files in ripgrep, so results with and without the glob are intersected. */
async function matchesOf(place: SearchPlace, options: readonly string[], glob: string): Promise<string[]> {
  const [all, found] = await Promise.all([
    listFiles(place, options),
    listFiles(place, [...options, globOption(glob, place)]),
  ]);
  const kept = new Set(all);
  return found.filter((name) => kept.has(name) && !place.hides(name));
}

async function listFiles(place: SearchPlace, options: readonly string[]): Promise<string[]> {
  return namesIn(await ripgrep(["--files", "--null", ...options, "--", place.target], place));
}
