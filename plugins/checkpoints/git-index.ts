import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { errors } from "./errors.ts";

/**
 * A private copy of a repository's index, for git to read. Of a file whose times are not older than the index git itself would
 * compare the content, and for that run the filters that the repository configures. The copy is dated 1970, which git takes
 * for an index without a date: it compares nothing then, and the caller reads such files itself.
 */
export class GitIndex {
  private readonly root: string;
  private folder: string | undefined;
  private stamp: string | undefined;
  /** When the repository's index was written, in milliseconds since the epoch; before everything when there is none. */
  written = Number.NEGATIVE_INFINITY;

  constructor(root: string) {
    this.root = root;
  }

  /** The copy's path; there is no file when the repository has no index yet. */
  get path(): string {
    this.folder ??= makeTemporaryFolder("scorel-git-index-");
    return join(this.folder, "index");
  }

  /** Brings the copy up to date; answers whether the index is another one than last time. */
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

/** Whether git would take the folder for a repository: with a `.git` that is damaged or made up, files are looked for without it. */
export function isGitRoot(root: string): boolean {
  try {
    const folder = gitFolder(root);
    const isFolder = (name: string) => fs.statSync(join(folder, name)).isDirectory();
    const head = fs.readFileSync(join(folder, "HEAD"), "utf8");
    if (!/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head)) return false;
    return fs.existsSync(join(folder, "commondir")) || (isFolder("objects") && isFolder("refs"));
  } catch {
    return false;
  }
}

/** The folder that git keeps a project's repository in. Throws CHECKPOINT_GIT. */
export function gitFolder(root: string): string {
  const path = join(root, ".git");
  const stat = fs.statSync(path);
  if (stat.isDirectory()) return path;
  if (!stat.isFile()) throw notAFile(path);
  const named = fs
    .readFileSync(path, "utf8")
    .trim()
    .replace(/^gitdir: /, "");
  return resolve(dirname(path), named);
}

/** The folder that a repository shares with its other working trees; without any that is its own. Throws CHECKPOINT_GIT. */
export function commonFolder(root: string): string {
  const own = gitFolder(root);
  const file = join(own, "commondir");
  return fs.existsSync(file) ? resolve(own, fs.readFileSync(file, "utf8").trim()) : own;
}

/** Copies what one open file holds, so that an index written meanwhile does no harm; answers when that was written. */
function copy(from: string, to: string): number {
  // A FIFO in its place would keep a plain open waiting.
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
