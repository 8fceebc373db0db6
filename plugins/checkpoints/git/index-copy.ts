import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readText } from "@scorel/kit/files/open";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { errors } from "../errors.ts";

/**
 * A private copy of a repository's index for git to read. For files as new as the index, git would compare contents and run the
 * repository's filters. A copy dated 1970 makes git compare nothing; the caller reads such files itself.
 */
export class GitIndex {
  private readonly root: string;
  private folder: string | undefined;
  private stamp: string | undefined;
  /** When the repository's index was written, in milliseconds since the epoch; -Infinity without an index. */
  written = Number.NEGATIVE_INFINITY;

  constructor(root: string) {
    this.root = root;
  }

  /** The path of the copy; the file does not exist if the repository has no index. */
  get path(): string {
    this.folder ??= makeTemporaryFolder("scorel-git-index-");
    return join(this.folder, "index");
  }

  /** Updates the copy. Returns whether the index has changed. */
  refresh(): boolean {
    const file = join(gitFolder(this.root), "index");
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    const stamp = stat ? [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(":") : "none";
    if (stamp === this.stamp) return false;
    this.stamp = undefined;
    fs.rmSync(this.path, { force: true });
    this.written = stat ? copy(file, this.path) : Number.NEGATIVE_INFINITY;
    this.stamp = stamp;
    return true;
  }

  close(): void {
    if (this.folder !== undefined) fs.rmSync(this.folder, { recursive: true, force: true });
    this.folder = undefined;
    this.stamp = undefined;
  }
}

/** Whether git would accept the folder as a repository. If `.git` is damaged or fake, files are found without git. */
export function isGitRoot(root: string): boolean {
  try {
    const folder = gitFolder(root);
    const isFolder = (name: string) => fs.statSync(join(folder, name)).isDirectory();
    const head = readText(join(folder, "HEAD"));
    if (!/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head)) return false;
    return fs.existsSync(join(folder, "commondir")) || (isFolder("objects") && isFolder("refs"));
  } catch {
    return false;
  }
}

/** The folder with a project's repository. Throws CHECKPOINT_GIT. */
export function gitFolder(root: string): string {
  const path = join(root, ".git");
  const stat = fs.statSync(path);
  if (stat.isDirectory()) return path;
  if (!stat.isFile()) throw notAFile(path);
  const named = readText(path)
    .trim()
    .replace(/^gitdir: /, "");
  return resolve(dirname(path), named);
}

/** The folder that worktrees of a repository share; for a normal repository, its own. Throws CHECKPOINT_GIT. */
export function commonFolder(root: string): string {
  const own = gitFolder(root);
  const file = join(own, "commondir");
  return fs.existsSync(file) ? resolve(own, readText(file).trim()) : own;
}

/** Copies an open file, so that a concurrent write does no harm. Returns when the file was written. */
function copy(from: string, to: string): number {
  // Opening a FIFO without O_NONBLOCK would block.
  const fd = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw notAFile(from);
    fs.writeFileSync(to, fs.readFileSync(fd), { flag: "wx", mode: 0o600 });
    fs.utimesSync(to, 0, 0);
    return stat.mtimeMs;
  } finally {
    fs.closeSync(fd);
  }
}

function notAFile(path: string): Error {
  return errors.CHECKPOINT_GIT({ reason: `${path} is not a file` });
}
