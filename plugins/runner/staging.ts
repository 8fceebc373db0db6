import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import type { Skill } from "@scorel/skills/contract";
import { errors } from "./errors.ts";
import { inHeld, remove } from "./held.ts";
import type { Layout } from "./layout.ts";
import { createReader, type Reader } from "./reader.ts";
import { filesOf, OWN, type SourceFile } from "./source-files.ts";

const LINKS: Readonly<Record<string, string>> = {
  out: join("..", "..", "out"),
  work: join("..", "..", "work"),
  inputs: join("..", "..", "work", "inputs"),
};

/** Made at the end of a copy, and the first to go before another. */
const LAST = "inputs";

/** A skill in a workspace. */
export interface Staged {
  /** Real. */
  folder: string;
  venv: string;
  /** sha256 over the paths and bytes of all its files. */
  digest: string;
  /** Below the folder, without what is the workspace's. */
  files: readonly { path: string; mode: number }[];
  /** sha256 over what the file system says of them; undefined while that could miss a change. */
  seen?: string | undefined;
}

const MENDS = "scorel skill update fetches it anew";

/** What the files of a skill from an archive have to be. */
type Sums = ReadonlyMap<string, string>;

/** A file that was changed so short a time ago could change again without looking other. */
const SETTLED_MS = 2_000;

/** What is known before a skill is staged. */
export interface StageOptions {
  /** What was staged by this name before. */
  before?: { digest: string; seen?: string | undefined; source?: string | undefined } | undefined;
  sums?: Sums | undefined;
  /**
   * Programs get the skill through a read-only mount. Then its files keep their owner's right to write, so that copies of them
   * can be changed; without a mount that right is all that keeps programs from writing into the skill itself.
   */
  isMounted: boolean;
}

/**
 * Copies a skill into the workspace, unless the same bytes are there already; files that look as before are not even read.
 * What its programs have installed in `.venv` stays, also when the skill has changed, but not when another one has its name.
 * Throws RUN_STAGE.
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
    inHeld(layout.skills, folder, "skill", (held) => remove(held, ".venv", dirname(layout.metadata)));
  fs.mkdirSync(venv, { recursive: true });
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

/** No file of what was installed is missing; that there are no others is seen with their bytes. */
function assertWhole({ name }: Skill, files: readonly SourceFile[], sums: Sums): void {
  const there = new Set(files.map(({ path }) => path));
  const isLeft = (path: string) => OWN.has(path.split("/")[0] as string) || path.split("/").includes(".git");
  const gone = [...sums.keys()].find((path) => !there.has(path) && !isLeft(path));
  if (gone !== undefined)
    throw errors.RUN_STAGE({ skill: name, path: gone, reason: `it is gone since it was installed; ${MENDS}` });
}

/** What `stage` would say of a skill as it is now. Throws RUN_STAGE. */
export function digestNow(skill: Skill): string {
  return digestOf(skill, filesOf(skill));
}

/** Skills are called what their authors like; a name that is no plain folder's is replaced by its hash. */
function folderName(name: string): string {
  // What looks like a hash's is none: two skills in one folder would run each other's programs.
  if (/^(?!skill-[0-9a-f]{16}$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  return `skill-${sha256Of(name).slice(0, 16)}`;
}

/** Copies the files, each of which is read once; answers their digest. */
function copy(skill: Skill, files: readonly SourceFile[], folder: string, sums: Sums | undefined): string {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
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
    if (parent !== "" && !made.has(parent)) fs.mkdirSync(`${folder}/${parent}`, { recursive: true });
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

/** Folders without the right to write keep what is in them. */
function makeRemovable(path: string): void {
  if (!fs.lstatSync(path).isDirectory()) return;
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path)) makeRemovable(join(path, name));
}

/** sha256 over the paths and bytes of the files; `read` gets each of them in turn. */
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
      throw fail(file.path, `it is not what was installed; ${MENDS}`);
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
