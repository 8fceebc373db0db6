import * as fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readText } from "@scorel/kit/files/open";
import { realOf } from "@scorel/kit/files/paths";
import { MCP_JSON } from "@scorel/kit/schema/mcp-json";
import type { SandboxMount } from "@scorel/sandbox/contract";

/** Read-only mounts for paths that sandboxed commands must not change, and a function that removes their placeholders. */
export interface ControlMounts {
  mounts: SandboxMount[];
  release(): void;
}

/**
 * A path that must not be changed. `missing` is what to create if it does not exist: a folder, a file with this text, or
 * nothing.
 */
interface Control {
  path: string;
  missing: "folder" | { text: string } | "nothing";
}

/** Protects the files that control the agent and git in a project from sandboxed commands. */
export function controlMounts(root: string): ControlMounts {
  const git = join(root, ".git");
  const kind = kindOf(git);
  // In place of a missing `.mcp.json`, an empty folder: git would see a file, and Scorel reads only a file.
  const names = [".scorel", MCP_JSON];
  const control: Control[] = names.map((name) => ({ path: join(root, name), missing: "folder" }));
  if (kind === "folder") control.push(...controlOf(git));
  if (kind === "file") control.push({ path: git, missing: "nothing" });
  const placeholders: Control[] = [];
  const mountable = control.filter((each) => ensurePlaceholder(each, placeholders));
  return {
    mounts: [
      // A folder that contains mounts could be renamed and replaced, unless it is a mount itself.
      ...(kind === "folder" ? [write(git)] : []),
      ...mountable.map(({ path }) => read(path)),
      ...(kind === "file" ? worktreeMounts(git) : []),
    ],
    release: () => placeholders.splice(0).reverse().forEach(removePlaceholder),
  };
}

/** Paths in `.git` that make git run programs. `commondir` could redirect git's configuration; `.` means here. */
function controlOf(git: string): Control[] {
  return [
    { path: join(git, "hooks"), missing: "folder" },
    { path: join(git, "config"), missing: { text: "" } },
    { path: join(git, "commondir"), missing: { text: ".\n" } },
    { path: join(git, "config.worktree"), missing: "nothing" },
    { path: join(git, "modules"), missing: "nothing" },
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

/** How many running commands use each placeholder; the last one removes it. */
const uses = new Map<string, number>();

/** Whether the path can be mounted: it exists, or a placeholder was created. */
function ensurePlaceholder(control: Control, placeholders: Control[]): boolean {
  const { path, missing } = control;
  const count = uses.get(path) ?? 0;
  if (count === 0 && fs.lstatSync(path, { throwIfNoEntry: false })) return kindOf(path) !== undefined;
  if (missing === "nothing") return false;
  if (count === 0) {
    if (missing === "folder") fs.mkdirSync(path);
    else fs.writeFileSync(path, missing.text, { flag: "wx" });
  }
  uses.set(path, count + 1);
  placeholders.push(control);
  return true;
}

function removePlaceholder({ path, missing }: Control): void {
  const count = (uses.get(path) ?? 1) - 1;
  if (count > 0) return void uses.set(path, count);
  uses.delete(path);
  try {
    if (missing === "folder") fs.rmdirSync(path);
    else if (missing !== "nothing" && fs.readFileSync(path, "utf8") === missing.text) fs.unlinkSync(path);
  } catch {
    // Another program has created the path meanwhile.
  }
}

/** The kind of a path; undefined for links, which cannot be mounted over. */
function kindOf(path: string): "file" | "folder" | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() ? "folder" : stat?.isFile() ? "file" : undefined;
}

function textOf(path: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readText(path))?.[1];
  } catch {
    return undefined;
  }
}
