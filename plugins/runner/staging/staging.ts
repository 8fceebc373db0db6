import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { Skill } from "@scorel/skills/contract";
import { errors } from "../errors.ts";
import type { Layout } from "../workspace/layout.ts";
import { inOpenFolder, remove } from "../workspace/open-folder.ts";
import { createReader, type Reader } from "../workspace/reader.ts";
import { filesOf, OWN, type SourceFile } from "./source-files.ts";

const LINKS: Readonly<Record<string, string>> = {
  out: join("..", "..", "out"),
  work: join("..", "..", "work"),
  inputs: join("..", "..", "work", "inputs"),
};

/** The link that is created last in a copy and removed first, so that its presence shows a complete copy. */
const LAST = "inputs";

/** A skill that was copied into a workspace. */
export interface Staged {
  /** The real path of the copy. */
  folder: string;
  venv: string;
  /** The sha256 of the paths and contents of all its files. */
  digest: string;
  /** The copied files, relative to the folder, without the links to the workspace's folders. */
  files: readonly { path: string; mode: number }[];
  /** The sha256 of the files' metadata; undefined when it could miss a change. */
  seen?: string | undefined;
}

const MENDS = "scorel skill update fetches it again";

/** The expected sha256 of each file, for an installed skill. */
type Sums = ReadonlyMap<string, string>;

/** Milliseconds. A file that changed more recently could change again without a difference in its metadata. */
const SETTLED_MS = 2_000;

export interface StageOptions {
  /** The version of the skill that was staged under this name before. */
  before?: { digest: string; seen?: string | undefined; source?: string | undefined } | undefined;
  sums?: Sums | undefined;
  /**
   * Whether programs see the skill through a read-only mount. If so, the files keep their write permission, so that
   * copies of them can be changed. Otherwise removing the write permission is their only protection.
   */
  isMounted: boolean;
}

/**
 * Copies a skill into the workspace, unless the same bytes are already there; files with unchanged metadata are not even read.
 * Packages in `.venv` are kept when the skill changes, but removed when the name now belongs to another source. Throws
 * RUN_STAGE.
 */
export function stage(layout: Layout, skill: Skill, { before, sums, isMounted }: StageOptions): Staged {
  const found = filesOf(skill);
  const files = found.map((file) => ({ ...file, mode: file.mode & (isMounted ? 0o755 : 0o555) }));
  if (sums) assertWhole(skill, files, sums);
  const seen = seenOf(files, isMounted);
  const folder = join(layout.skills, folderName(skill.name));
  const venv = join(folder, ".venv");
  const isThere = before !== undefined && isLink(join(folder, LAST));
  const isSame = isThere && seen !== undefined && seen === before.seen;
  const digest = isSame ? before.digest : isThere ? digestOf(skill, files, sums) : copy(skill, files, folder, sums);
  if (isThere && before.digest !== digest) copy(skill, files, folder, sums);
  else if (isThere && !isSame) for (const { path, mode } of files) fs.chmodSync(join(folder, path), mode);
  if (isThere && before.source !== undefined && before.source !== skill.source)
    inOpenFolder(layout.skills, folder, "skill", (dir) => remove(dir, ".venv", dirname(layout.metadata)));
  makeFolder(venv, 0o777);
  return { folder, venv, digest, files, seen };
}

function seenOf(files: readonly SourceFile[], isMounted: boolean): string | undefined {
  let latest = 0;
  let all = `${isMounted}\0`;
  for (const { path, stat } of files) {
    all += `${path}\0${stat.dev} ${stat.ino} ${stat.size} ${stat.mode} ${stat.mtimeMs} ${stat.ctimeMs}\0`;
    latest = Math.max(latest, stat.ctimeMs);
  }
  return latest + SETTLED_MS < Date.now() ? sha256Of(all) : undefined;
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Checks that no installed file is missing. Added or changed files are detected when the files are read. */
function assertWhole({ name }: Skill, files: readonly SourceFile[], sums: Sums): void {
  const there = new Set(files.map(({ path }) => path));
  const isLeft = (path: string) => OWN.has(path.split("/")[0] as string) || path.split("/").includes(".git");
  const gone = [...sums.keys()].find((path) => !there.has(path) && !isLeft(path));
  if (gone !== undefined)
    throw errors.RUN_STAGE({ skill: name, path: gone, reason: `it was removed after the installation; ${MENDS}` });
}

/** The digest that `stage` would compute for the skill now. Throws RUN_STAGE. */
export function digestNow(skill: Skill): string {
  return digestOf(skill, filesOf(skill));
}

/** A folder name for a skill: its name if that is a safe file name, otherwise a hash. */
function folderName(name: string): string {
  // A name that looks like a hash is hashed too, so that two skills never share a folder.
  if (/^(?!skill-[0-9a-f]{16}$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  return `skill-${sha256Of(name).slice(0, 16)}`;
}

/** Copies the files, reading each once, and returns their digest. */
function copy(skill: Skill, files: readonly SourceFile[], folder: string, sums: Sums | undefined): string {
  makeFolder(folder);
  fs.chmodSync(folder, 0o700);
  fs.rmSync(join(folder, LAST), { force: true });
  for (const name of fs.readdirSync(folder)) {
    if (name === ".venv") continue;
    makeRemovable(join(folder, name));
    fs.rmSync(join(folder, name), { recursive: true });
  }
  const made = new Set<string>();
  const digest = digestOf(skill, files, sums, ({ path, mode }, bytes) => {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (parent !== "" && !made.has(parent)) makeFolder(`${folder}/${parent}`, 0o777);
    made.add(parent);
    writeNew(`${folder}/${path}`, bytes, mode);
  });
  for (const [name, target] of Object.entries(LINKS)) fs.symlinkSync(target, join(folder, name));
  return digest;
}

function writeNew(path: string, bytes: Buffer, mode: number): void {
  const fd = fs.openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/** Adds write permission to folders, without which their entries cannot be removed. */
function makeRemovable(path: string): void {
  if (!fs.lstatSync(path).isDirectory()) return;
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path)) makeRemovable(join(path, name));
}

/** The sha256 of the files' paths and contents; `read` receives each file. */
function digestOf(
  { name: skill }: Skill,
  files: readonly SourceFile[],
  sums?: Sums,
  read: (file: SourceFile, bytes: Buffer) => void = () => {},
): string {
  const fail = (path: string, reason: string, cause?: unknown) => errors.RUN_STAGE({ skill, path, reason }, { cause });
  const hash = createHash("sha256");
  using reader = createReader();
  for (const file of files) {
    const bytes = bytesOf(file, reader, fail);
    if (sums && sums.get(file.path) !== sha256Of(bytes))
      throw fail(file.path, `it was changed after the installation; ${MENDS}`);
    hash.update(`${file.path}\0${bytes.length}\0`).update(bytes);
    read(file, bytes);
  }
  return hash.digest("hex");
}

function bytesOf(
  { path, from, root }: SourceFile,
  reader: Reader,
  fail: (path: string, reason: string, cause: unknown) => Error,
): Buffer {
  try {
    return reader.read(root, from);
  } catch (thrown) {
    throw fail(path, `it cannot be read (${codeOf(thrown)})`, thrown);
  }
}
