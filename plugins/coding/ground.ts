import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Environment } from "./environment.ts";
import { errors } from "./errors.ts";
import { refuseKeyStore } from "./key-store.ts";
import { mayBeEncoded } from "./names.ts";
import { absolute, locate, shownAs } from "./paths.ts";
import { plainGlob } from "./plain-glob.ts";
import { namesIn, ripgrep, type Search } from "./ripgrep.ts";

const FOLDER = "./";

/** Where a search happens, and how its names are shown. */
export interface Ground extends Search {
  /** What is searched, for ripgrep: all of the folder, or one file. */
  target: string;
  /** A name that ripgrep gave, as messages name it. */
  shown(name: string): string;
  /** Whether a file of this name is left out, since it may not be read. A file that was asked for by itself never is. */
  hides(name: string): boolean;
  /** Byte ranges of secrets in a line, which is shown in part. */
  secretsIn: Environment["secretsIn"];
}

/** A folder, or one file of a folder; throws SEARCH_PATH and SEARCH_KIND. */
export async function groundOf(
  path: string | undefined,
  shows: "names" | "contents",
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<Ground> {
  const { workspace } = env;
  const place = await locate(path ?? ".", workspace);
  const stats: Stats | undefined = await stat(place.raw).catch(() => undefined);
  if (!stats) throw errors.SEARCH_PATH({ path: place.shown });
  if (typeof place.raw !== "string")
    throw errors.SEARCH_FAILED({
      reason: `${place.shown} is no UTF-8 name, which ripgrep cannot be given. Search the folder above it.`,
    });
  const isFolder = stats.isDirectory();
  // Whoever reads a FIFO or a device may wait for ever.
  if (!isFolder && !stats.isFile()) throw errors.SEARCH_KIND({ path: place.shown });
  if (!isFolder) await refuseKeyStore(place, stats, workspace);
  const cwd = isFolder ? place.path : dirname(place.path);
  const hides = isFolder ? await env.hiddenIn(cwd, shows) : () => false;
  return {
    cwd,
    env: env.childEnv(),
    signal,
    target: isFolder ? FOLDER : `./${basename(place.path)}`,
    shown: (name) => shownAs(join(cwd, name), workspace.cwd),
    hides: (name) => hides(cwd === "/" ? `/${name}` : `${cwd}/${name}`),
    secretsIn: env.secretsIn,
  };
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
