import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { Skill } from "@scorel/skills/contract";
import { errors } from "./errors.ts";
import { inHeld, readWithin, remove } from "./held.ts";
import type { Layout } from "./layout.ts";
import { isWithin } from "./paths.ts";

const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;
/** Not the skill's: the workspace's folders by short names, and what its programs install. */
const OWN = new Set(["out", "work", "inputs", ".venv"]);
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

interface SourceFile {
  path: string;
  /** Real; the same, or what a link leads to. */
  from: string;
  mode: number;
  stat: fs.Stats;
  /** The skill's real folder. */
  root: string;
}

/** A file that was changed so short a time ago could change again without looking other. */
const SETTLED_MS = 2_000;

/**
 * Copies a skill into the workspace, unless the same bytes are there already; files that look as before are not even read.
 * What its programs have installed in `.venv` stays, also when the skill has changed, but not when another one has its name.
 * Throws RUN_STAGE.
 */
export function stage(
  layout: Layout,
  skill: Skill,
  before: { digest: string; seen?: string | undefined; source?: string | undefined } | undefined,
  sums?: Sums,
): Staged {
  const files = filesOf(skill);
  if (sums) assertWhole(skill, files, sums);
  const seen = seenOf(files);
  const folder = join(layout.skills, folderName(skill.name));
  const venv = join(folder, ".venv");
  const isThere = before !== undefined && isLink(join(folder, LAST));
  const isSame = isThere && seen !== undefined && seen === before.seen;
  const digest = isSame ? before.digest : digestOf(skill, files, sums);
  if (!isThere || before.digest !== digest) copy(files, folder);
  else if (!isSame) for (const { path, mode } of files) fs.chmodSync(join(folder, path), mode & 0o555);
  if (isThere && before.source !== undefined && before.source !== skill.source)
    inHeld(layout.skills, folder, "skill", (held) => remove(held, ".venv", dirname(layout.metadata)));
  fs.mkdirSync(venv, { recursive: true });
  return { folder, venv, digest, files, seen };
}

function seenOf(files: readonly SourceFile[]): string | undefined {
  let latest = 0;
  let all = "";
  for (const { path, stat } of files) {
    all += `${path}\0${stat.dev} ${stat.ino} ${stat.size} ${stat.mode} ${stat.mtimeMs} ${stat.ctimeMs}\0`;
    latest = Math.max(latest, stat.ctimeMs);
  }
  return latest + SETTLED_MS < Date.now() ? createHash("sha256").update(all).digest("hex") : undefined;
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
  return `skill-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

function copy(files: readonly SourceFile[], folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.chmodSync(folder, 0o700);
  fs.rmSync(join(folder, LAST), { force: true });
  for (const name of fs.readdirSync(folder)) {
    if (name === ".venv") continue;
    makeRemovable(join(folder, name));
    fs.rmSync(join(folder, name), { recursive: true });
  }
  for (const { path, from, mode, root } of files) {
    const to = join(folder, path);
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.writeFileSync(to, readWithin(root, from), { flag: "wx" });
    fs.chmodSync(to, mode & 0o555);
  }
  for (const [name, target] of Object.entries(LINKS)) fs.symlinkSync(target, join(folder, name));
}

/** Folders without the right to write keep what is in them. */
function makeRemovable(path: string): void {
  if (!fs.lstatSync(path).isDirectory()) return;
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path)) makeRemovable(join(path, name));
}

function filesOf(skill: Skill): SourceFile[] {
  const root = realFolder(skill);
  const found: SourceFile[] = [];
  let bytes = 0;
  // Names are put together as text: for a thousand files, taking paths apart takes longer than all else.
  const visit = (prefix: string) => {
    for (const entry of fs.readdirSync(`${root}/${prefix}`, { withFileTypes: true })) {
      const path = prefix + entry.name;
      const full = `${root}/${path}`;
      if (OWN.has(path) || entry.name === ".git") continue;
      const { from, stat } = entry.isSymbolicLink()
        ? linked(full, root, skill, path)
        : { from: full, stat: fs.lstatSync(full) };
      if (stat.isDirectory() && !entry.isSymbolicLink()) visit(`${path}/`);
      if (!stat.isFile()) continue;
      found.push({ path, from, mode: stat.mode, stat, root });
      bytes += stat.size;
      if (found.length > MOST_FILES || bytes > MOST_BYTES)
        throw errors.RUN_STAGE({
          skill: skill.name,
          path: skill.folder,
          reason: "it has too many files, or too large ones",
        });
    }
  };
  visit("");
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function realFolder({ name: skill, files, folder: path }: Skill): string {
  try {
    return fs.realpathSync(files);
  } catch (thrown) {
    throw errors.RUN_STAGE({ skill, path, reason: `its folder cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
}

/** A link counts as the file that it leads to, as long as that is the skill's own. */
function linked(full: string, root: string, skill: Skill, path: string): { from: string; stat: fs.Stats } {
  const fail = (reason: string) => errors.RUN_STAGE({ skill: skill.name, path, reason });
  try {
    const from = fs.realpathSync(full);
    if (!isWithin(root, from)) throw fail("it is a link that leads out of the skill");
    return { from, stat: fs.statSync(from) };
  } catch (thrown) {
    throw codeOf(thrown) === "ENOENT" ? fail("it is a link to nothing") : thrown;
  }
}

function digestOf(skill: Skill, files: readonly SourceFile[], sums?: Sums): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const bytes = bytesOf(skill, file);
    if (sums && sums.get(file.path) !== createHash("sha256").update(bytes).digest("hex"))
      throw errors.RUN_STAGE({ skill: skill.name, path: file.path, reason: `it is not what was installed; ${MENDS}` });
    hash.update(`${file.path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

function bytesOf({ name }: Skill, { path, from, root }: SourceFile): Buffer {
  try {
    return readWithin(root, from);
  } catch (thrown) {
    throw errors.RUN_STAGE({ skill: name, path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
}
