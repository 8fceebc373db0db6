import { basename, dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { mayBeEncoded } from "@scorel/kit/files/names";
import type { FileSearch } from "@scorel/local/contract";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
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
  /** Whether a file must be left out because it may not be read. False for a single file that was named. */
  hides(name: string): boolean;
  /** Byte ranges of secrets in a line that is shown in part. */
  secretsIn: Environment["secretsIn"];
}

interface SearchRequest {
  path: string | undefined;
  shows: "names" | "contents";
  /** The paths that the call was approved to read; undefined if it was not judged by paths. */
  approved: readonly string[] | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Opens the folder or file to search; it stays open until disposed. Throws SEARCH_PATH, SEARCH_KIND, and FILE_SWAPPED
 * if it is not what was approved.
 */
export async function openSearchPlace(
  { path, shows, approved, signal }: SearchRequest,
  env: Environment,
): Promise<SearchPlace> {
  const { workspace } = env;
  const place = await locate(path ?? ".", env);
  const search = await openSearch(place, { approved, signal }, env);
  try {
    const isFolder = search.kind === "folder";
    if (!isFolder) await refuseKeyStore(place, search, env);
    const cwd = isFolder ? place.path : dirname(place.path);
    const hides = isFolder ? await env.hiddenIn(cwd, shows) : () => false;
    return {
      cwd,
      signal,
      target: search.target,
      run: (args, options) => search.run(args, options),
      ...(!isFolder && { file: basename(place.path) }),
      shown: (name) => shownAs(join(cwd, name), workspace.cwd),
      hides: (name) => hides(cwd === "/" ? `/${name}` : `${cwd}/${name}`),
      secretsIn: env.secretsIn,
      [Symbol.asyncDispose]: () => search[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await search[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function openSearch(
  place: Place,
  { approved, signal }: Pick<SearchRequest, "approved" | "signal">,
  env: Environment,
): Promise<FileSearch> {
  const { files } = env;
  const info = await files.stat(place.path, { signal });
  if (!info) throw errors.SEARCH_PATH({ path: place.shown });
  // Reading a FIFO or a device could block forever.
  if (info.kind !== "folder" && info.kind !== "file") throw errors.SEARCH_KIND({ path: place.shown });
  if (approved && !approved.includes(place.path)) throw errors.FILE_SWAPPED({ path: place.shown });
  try {
    const options = { env: env.childEnv(), signal };
    if (files.search) return await files.search(place.path, options);
    return await (await import("./copied-search.ts")).searchCopy(place.path, info, env, options);
  } catch (thrown) {
    if (codeOf(thrown) !== "ESTALE") throw thrown;
    throw errors.FILE_SWAPPED({ path: place.shown }, { cause: thrown });
  }
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
  const info = await env.files.stat(absolute(split.path, env.workspace));
  return info?.kind === "folder" ? split : { path, pattern };
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
