import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readText } from "@scorel/kit/files/open";
import { isWithin, realOf } from "@scorel/kit/files/paths";
import { MCP_JSON } from "@scorel/kit/schema/mcp-json";
import type { SandboxMount } from "@scorel/sandbox/contract";
import { errors } from "../errors.ts";
import { type Placeholder, releasePlaceholders, usePlaceholders } from "./placeholders.ts";

/** Read-only mounts for paths that sandboxed commands must not change, and a function that ends the use of their placeholders. */
export interface ControlMounts {
  mounts: SandboxMount[];
  release(): Promise<void>;
}

/** A path that must not be changed. `missing` is the content of its placeholder if it does not exist; without one, it is not mounted. */
interface Control {
  path: string;
  missing?: Placeholder["content"];
}

/** Protects the files that control the agent and git in a project from sandboxed commands. Throws BASH_PLACEHOLDERS. */
export async function controlMounts(root: string): Promise<ControlMounts> {
  const git = join(root, ".git");
  if (isLink(git)) throw errors.BASH_PLACEHOLDERS({ root, reason: ".git is a link, which they could replace" });
  const kind = kindOf(git);
  const repository = kind === "file" ? repositoryIn(root, git) : kind && git;
  // In place of a missing `.mcp.json`, an empty folder: git would see a file, and Scorel reads only a file.
  const names = [".scorel", MCP_JSON];
  const control: Control[] = names.map((name) => ({ path: join(root, name), missing: "folder" }));
  if (repository !== undefined) control.push(...controlOf(repository));
  if (kind === "file") control.push({ path: git });
  const placeholders = control.flatMap(({ path, missing }) =>
    missing === undefined ? [] : [{ path, content: missing }],
  );
  await usePlaceholders(root, placeholders);
  const mountable = control.filter(({ path }) => kindOf(path) !== undefined);
  return {
    mounts: [
      ...(repository === undefined ? [] : foldersTo(repository, root).map(write)),
      ...mountable.map(({ path }) => read(path)),
      ...(kind === "file" ? worktreeMounts(git) : []),
    ],
    release: () => releasePlaceholders(root),
  };
}

/**
 * A folder in the project, after the folders around it. Each becomes a mount: a folder that contains mounts could otherwise be renamed and
 * replaced.
 */
function foldersTo(folder: string, root: string): string[] {
  return folder === root ? [] : [...foldersTo(dirname(folder), root), folder];
}

/**
 * The repository that a project's `.git` file names, if it is a folder in the project, where commands can write. What the folder contains
 * does not matter: a command could remove that first.
 */
function repositoryIn(root: string, file: string): string | undefined {
  const named = textOf(file, /^gitdir: (.+)$/m);
  const folder = named === undefined ? undefined : realOf(resolve(root, named));
  const isIn = folder !== undefined && folder !== root && isWithin(root, folder);
  return isIn && kindOf(folder) === "folder" ? folder : undefined;
}

/** Paths in a repository that make git run programs. `commondir` could redirect git's configuration; `.` means here. */
function controlOf(git: string): Control[] {
  return [
    { path: join(git, "hooks"), missing: "folder" },
    { path: join(git, "config"), missing: { text: "" } },
    { path: join(git, "commondir"), missing: { text: ".\n" } },
    { path: join(git, "config.worktree") },
    { path: join(git, "modules") },
  ];
}

/**
 * Mounts for a worktree's git folder, which is inside its repository: writable for what a commit writes, otherwise read-only.
 * Empty if the folder does not point back to this worktree.
 */
function worktreeMounts(file: string): SandboxMount[] {
  const own = textOf(file, /^gitdir: (.+)$/m);
  const gitdir = own === undefined ? undefined : realOf(resolve(dirname(file), own));
  if (gitdir === undefined || basename(dirname(gitdir)) !== "worktrees") return [];
  const common = dirname(dirname(gitdir));
  const back = textOf(join(gitdir, "gitdir"), /^(.+)$/m);
  const shared = textOf(join(gitdir, "commondir"), /^(.+)$/m);
  const isOwn = back !== undefined && realOf(resolve(gitdir, back)) === file;
  if (!isOwn || shared === undefined || realOf(resolve(gitdir, shared)) !== common) return [];
  const isWhole = ["objects", "refs"].every((name) => kindOf(join(common, name)) === "folder");
  const config = textOf(join(common, "config"), /([\s\S]*)/) ?? "";
  const ownConfig = join(gitdir, "config.worktree");
  // If worktrees may have their own settings and this one has no file yet, a command could create one.
  if (!isWhole || (/worktreeConfig/i.test(config) && kindOf(ownConfig) !== "file")) return [];
  const folders = ["objects", "refs", "logs"].map((name) => join(common, name));
  const files = [join(gitdir, "gitdir"), join(gitdir, "commondir"), ownConfig];
  return [
    read(common),
    ...folders.filter((path) => kindOf(path) === "folder").map(write),
    write(gitdir),
    ...files.filter((path) => kindOf(path) === "file").map(read),
  ];
}

const read = (path: string): SandboxMount => ({ path, access: "read" });
const write = (path: string): SandboxMount => ({ path, access: "write" });

/** The kind of a path; undefined for links, which cannot be mounted over. */
function kindOf(path: string): "file" | "folder" | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() ? "folder" : stat?.isFile() ? "file" : undefined;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function textOf(path: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readText(path))?.[1];
  } catch {
    return undefined;
  }
}
