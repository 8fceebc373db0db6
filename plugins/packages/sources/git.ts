import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { SAFE_GIT, SAFE_GIT_ENV } from "@scorel/kit/process/safe-git";
import { TreeWriter } from "../archive/tree-writer.ts";
import { errors } from "../errors.ts";
import type { Fetched, Surroundings } from "./fetched.ts";
import { firstOf } from "./first-of.ts";
import { pathFor, run } from "./program.ts";

/** A file of a commit. */
export interface Blob {
  path: string;
  oid: string;
  isExecutable: boolean;
}

/**
 * Copies the files that HEAD of a checkout tracks, as committed. Reads git's objects directly, so that no filter from
 * the repository's configuration runs. Git itself still refuses a checkout that another user owns. Throws PACKAGES_GIT
 * and ARCHIVE errors.
 */
export async function checkOut(path: string, into: string, surroundings: Surroundings): Promise<Fetched> {
  const git: Git = (args, more) => runGit(path, ["-C", path, ...args], { ...surroundings, ...more });
  const commit = (await git(["rev-parse", "--verify", "HEAD^{commit}"])).toString().trim();
  const blobs = await copyCommit(path, commit, into, git);
  const others = (await git(["ls-files", "-z", "--others", "--exclude-standard"])).toString().split("\0");
  const dirty = [...blobs.filter((blob) => differs(path, blob)).map((blob) => blob.path), ...others.filter(Boolean)];
  return {
    folder: into,
    source: { kind: "git", spec: path, commit },
    name: basename(path),
    notes: dirty.length > 0 ? [`Uncommitted changes are left out: ${firstOf(dirty)}`] : [],
  };
}

/** Copies the files of a commit, and returns them. Throws PACKAGES_GIT and ARCHIVE errors. */
export async function copyCommit(path: string, commit: string, into: string, git: Git): Promise<Blob[]> {
  const writer = new TreeWriter(path, into);
  const blobs = blobsIn((await git(["ls-tree", "-r", "-z", "-l", "--full-tree", commit])).toString(), writer);
  const input = blobs.map(({ oid }) => `${oid}\n`).join("");
  const contents = contentsIn(await git(["cat-file", "--batch"], { input }));
  for (const { path: name, oid, isExecutable } of blobs) {
    const bytes = contents.get(oid);
    if (!bytes) throw errors.PACKAGES_GIT({ path, reason: `the object of ${name} is not there` });
    const file = writer.file(name, isExecutable);
    try {
      file.write(bytes);
    } finally {
      file.close();
    }
  }
  return blobs;
}

/** Runs git in a repository, without programs that the repository configures, and returns its output. */
export type Git = (args: readonly string[], more?: { input?: string }) => Promise<Buffer>;

interface Running extends Surroundings {
  input?: string;
  /** Further environment variables. */
  added?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs git without programs that the repository configures. `path` is the repository's name in errors. Throws
 * PACKAGES_GIT.
 */
export async function runGit(
  path: string,
  args: readonly string[],
  { env, interrupt, input, added }: Running,
): Promise<Buffer> {
  const { HOME = "", TMPDIR } = env;
  const result = await run("git", [...SAFE_GIT, "--literal-pathspecs", ...args], {
    cwd: HOME === "" ? "/" : HOME,
    signal: interrupt,
    env: {
      PATH: pathFor(env),
      HOME,
      ...(TMPDIR !== undefined && { TMPDIR }),
      ...SAFE_GIT_ENV,
      ...(added as Record<string, string> | undefined),
    },
    ...(input !== undefined && { input }),
  });
  if (result.code === 0) return result.stdout;
  const reason = result.failure ?? (reasonIn(result.stderr) || `it ended with ${result.code}`);
  throw errors.PACKAGES_GIT({ path, reason });
}

/** The line of git's output that says why it failed: the first one, or the last one of ssh, which may print a banner before it. */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  return lines[Math.max(0, lines.findIndex((line) => line.startsWith("fatal: Could not read from remote")) - 1)];
}

/**
 * Parses lines of `mode type oid size<TAB>path`, each ended by a zero byte. The sizes are counted against the limits
 * before any file is read.
 */
function blobsIn(listing: string, writer: TreeWriter): Blob[] {
  return listing
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [, mode, type, oid = "", size, path = ""] = /^(\d+) (\w+) ([\da-f]+) +(\S+)\t(.*)$/s.exec(line) ?? [];
      writer.count();
      writer.pass(Number(size) || 0);
      if (mode === "120000") throw writer.refuse(path, "is a link");
      if (type !== "blob") throw writer.refuse(path, "is a submodule");
      return { path, oid, isExecutable: mode === "100755" };
    });
}

function contentsIn(out: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at);
    const [oid = "", kind = "", size = ""] = out.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (kind !== "blob") continue;
    found.set(oid, out.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

/**
 * Whether a file differs from the committed one. Compared here, because git itself might run a filter of the
 * repository.
 */
function differs(root: string, { path, oid }: Blob): boolean {
  const full = join(root, path);
  const stats = lstatSync(full, { throwIfNoEntry: false });
  if (!stats?.isFile()) return true;
  const bytes = readFileSync(full);
  const hash = createHash(oid.length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") !== oid;
}
