import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readBytes, readText } from "@scorel/kit/files/open";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { type Repository, repositoryAt } from "@scorel/kit/files/repository";
import type { Workspace } from "@scorel/workspace/contract";
import { isElsewhere } from "../files/file-cache.ts";
import { hasOnlyHarmlessSettings, hooksInQuietSettings } from "./git-settings.ts";

/** The repository that git finds when it runs in a folder. */
type Found =
  | { kind: "none" }
  | ({ kind: "repository" } & Repository)
  /** A folder that git takes for a repository although it is not named `.git`. */
  | { kind: "posing" };

const MAX_INDEX = 64 * 1024 * 1024;
const GITLINK = Buffer.from([0, 0, 0xe0, 0]);
const FROM_MODE_TO_NAME = 38;
/** From this index version on, entries store only the part of a name that differs from the previous one. */
const SHORTENED_NAMES = 4;

/**
 * Why git, run in these folders, may run a program that the user did not choose; undefined when only the project's own
 * repository applies. Submodules are checked too, because git enters them by itself.
 */
export function gitDanger(folders: readonly string[], { root }: Workspace): string | undefined {
  if (isElsewhere()) return "git where its settings cannot be checked";
  const own = repositoryAt(canonical(root));
  const repositories = new Map<string, Repository>();
  for (const folder of folders) {
    const found = find(folder);
    if (found.kind === "posing") return "git in a folder that looks like a git folder";
    if (found.kind === "repository") repositories.set(found.gitdir, found);
  }
  const all = [...repositories.values()];
  const linked = all.map(linkedIn);
  if (linked.includes(undefined)) return "git in a repository with unknown submodules";
  const others = [...all.filter((each) => !isSame(each, own)), ...linked.flatMap((each) => each ?? [])];
  return others.every(isHarmless) ? undefined : "git in a folder whose settings can run programs";
}

let lastSettings: { key: string; hooks: readonly string[] | undefined } | undefined;

/**
 * Whether git finds the project's own repository from a folder, and reading commands show only that repository and run no program there:
 * neither through settings nor through the hook that runs when `git status` writes the index. Settings are re-read only when their file
 * changed.
 */
export function isQuietRepository(from: string, { root }: Workspace): boolean {
  if (isElsewhere()) return false;
  const folder = canonical(root);
  const own = repositoryAt(folder);
  const found = find(from);
  if (!own || found.kind !== "repository" || found.gitdir !== own.gitdir) return false;
  if (!(own.common === own.gitdir ? isWithin(folder, own.gitdir) : isLinked(own))) return false;
  if (exists(join(own.gitdir, "config.worktree")) || hasObjectsOfOthers(own)) return false;
  const hooks = hooksOf(own);
  return (
    hooks !== undefined && ["hooks", ...hooks].every((name) => !exists(resolve(own.common, name, "post-index-change")))
  );
}

/** Whether a folder is a real worktree of its repository: the folder and the repository's entry must name each other. */
function isLinked({ folder, gitdir, common }: Repository): boolean {
  const named = textOf(join(gitdir, "gitdir"))?.trim();
  return (
    dirname(gitdir) === join(common, "worktrees") && named !== undefined && canonical(named) === join(folder, ".git")
  );
}

/** Whether git may read the objects of another repository as if they were of this one. */
function hasObjectsOfOthers({ common }: Repository): boolean {
  const objects = join(common, "objects");
  return exists(join(objects, "info/alternates")) || [objects, join(objects, "pack")].some(isLink);
}

/** The hook folders that a repository's settings name; undefined when the settings may make a reading command run a program. */
function hooksOf({ common, folder }: Repository): readonly string[] | undefined {
  const path = join(common, "config");
  const key = `${folder} ${path} ${stampOf(path)}`;
  if (lastSettings?.key !== key) lastSettings = { key, hooks: hooksInQuietSettings(textOf(path), common, folder) };
  return lastSettings.hooks;
}

/** A string that changes whenever the file's content changes. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "";
  }
}

/** Searches as git does: in the folder itself, then in each parent. */
function find(start: string): Found {
  for (let folder = canonical(start); ; folder = dirname(folder)) {
    const found = repositoryAt(folder);
    if (found) return { kind: "repository", ...found };
    if (isPosing(folder)) return { kind: "posing" };
    if (folder === dirname(folder)) return { kind: "none" };
  }
}

/** Whether git would take a folder for a repository. */
function isPosing(folder: string): boolean {
  const has = (name: string) => exists(join(folder, name));
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

/** Whether a repository is the project's own, in this or another of its worktrees. */
function isSame({ gitdir, common, folder }: Repository, own: Repository | undefined): boolean {
  if (own === undefined || common !== own.common) return false;
  const settings = join(gitdir, "config.worktree");
  return gitdir === own.gitdir || !exists(settings) || hasOnlyHarmlessSettings(textOf(settings), gitdir, folder);
}

/** Whether neither the settings nor the hooks of a repository make git run a program. */
function isHarmless({ gitdir, common, folder }: Repository): boolean {
  const files = [...new Set([join(common, "config"), join(gitdir, "config.worktree")])].filter(exists);
  const hooks = namesIn(join(common, "hooks"));
  return (
    files.every((file) => hasOnlyHarmlessSettings(textOf(file), gitdir, folder)) &&
    hooks.every((name) => name.endsWith(".sample") || name === "README.sample")
  );
}

/** The existing repositories that an index links to as submodules; undefined when they cannot be determined. */
function linkedIn({ folder, gitdir }: Repository): Repository[] | undefined {
  const parts = namesIn(gitdir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  const links = parts.map((name) => linksIn(join(gitdir, name)));
  if (links.includes(undefined)) return undefined;
  return links.flat().flatMap((name) => repositoryAt(resolve(folder, name as string)) ?? []);
}

/** The names of submodule entries in an index, found by their mode; undefined when the index version shortens names. */
function linksIn(index: string): string[] | undefined {
  const bytes = bytesOf(index);
  if (bytes === undefined) return undefined;
  if (bytes.includes(GITLINK) && bytes.length >= 8 && bytes.readUInt32BE(4) >= SHORTENED_NAMES) return undefined;
  const names: string[] = [];
  for (let at = bytes.indexOf(GITLINK); at >= 0; at = bytes.indexOf(GITLINK, at + 1)) {
    const end = bytes.indexOf(0, at + FROM_MODE_TO_NAME);
    if (end > 0) names.push(bytes.toString("utf8", at + FROM_MODE_TO_NAME, end));
  }
  return names.filter((name) => name !== "" && basename(name) !== ".git");
}

/** Undefined for a file that is too large to search for each command. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return statSync(path).size > MAX_INDEX ? undefined : readBytes(path);
  } catch {
    return Buffer.alloc(0); // No index, so no submodules.
  }
}

/** True also for a dangling link. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function textOf(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined; // The path is a folder or does not exist.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
