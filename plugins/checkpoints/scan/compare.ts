import { slices } from "@scorel/kit/values/slices";
import type { CheckpointFile, FileState, NotCovered } from "../contract.ts";
import { filtered, readObjects } from "../git/git.ts";
import { isGitRoot } from "../git/index-copy.ts";
import type { Keeper } from "../record/keeper.ts";
import { tooLarge } from "../record/observe.ts";
import { absent, same } from "../record/state.ts";
import { read, type ScanContext, type ScannedFile } from "./scanned-file.ts";

/** Bytes of contents that are read from git at a time: a command may change gigabytes of tracked files. */
const PART_BYTES = 32 * 2 ** 20;

/** The states of a path in two successive scans. */
export interface Change {
  path: string;
  was: ScannedFile | undefined;
  now: ScannedFile | undefined;
}

/** The changes between two scans. */
export interface Difference {
  changes: Change[];
  /** How many files are new but older than the previous scan: they were moved in from ignored or outside places. */
  hidden: number;
}

/**
 * Stores the contents on both sides of the changes. When the scan is aborted meanwhile, the changes that are left are reported as not
 * covered. Throws CHECKPOINT_GIT.
 */
export async function contentsOf(
  { root, keeper, signal }: ScanContext,
  { changes, hidden }: Difference,
): Promise<{ files: CheckpointFile[]; notCovered: NotCovered[] }> {
  const sorted = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const files: CheckpointFile[] = [];
  const pause = slices();
  let done = 0;
  for (const part of parts(sorted, keeper)) {
    const contents = await fromGit(root, part, keeper);
    for (const { path, was, now } of part) {
      await pause();
      if (signal.aborted) return { files, notCovered: [{ path: ".", reason: leftOf(sorted.length, done) }] };
      const [before, after] = [contentBefore(was, contents.get(path), keeper), presentOf(root, path, now, keeper)];
      if (!same(before, after)) files.push({ path, before, after });
      done++;
    }
  }
  const reason = `${hidden} files came from ignored or outside places`;
  return { files, notCovered: hidden > 0 ? [{ path: ".", reason }] : [] };
}

function leftOf(all: number, done: number): string {
  return `the session closed before ${all - done} of ${all} changed files were recorded`;
}

/** An object of git with the content of a changed file that is not too large to be kept; undefined if there is none. */
function objectOf({ path, was }: Change, { limits }: Keeper) {
  if (was?.content.kind !== "git" || was.content.size > limits.maxFileBytes) return undefined;
  const { oid, size } = was.content;
  return { path, oid, size };
}

/** Splits changes into parts whose contents from git fit into memory. */
function* parts(changes: readonly Change[], keeper: Keeper): Iterable<Change[]> {
  let part: Change[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = objectOf(change, keeper)?.size ?? 0;
    if (part.length > 0 && bytes + size > PART_BYTES) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(change);
    bytes += size;
  }
  yield part;
}

/**
 * Contents from git's object store that are identical to the files; a string is the reason why a content is not
 * available.
 */
async function fromGit(
  root: string,
  changed: readonly Change[],
  keeper: Keeper,
): Promise<Map<string, Buffer | string>> {
  const wanted = changed.flatMap((change) => objectOf(change, keeper) ?? []);
  // A command may have removed the repository.
  if (wanted.length > 0 && !isGitRoot(root)) return new Map();
  const paths = wanted.map(({ path }) => path);
  const oids = [...new Set(wanted.map(({ oid }) => oid))];
  const [objects, converted] = await Promise.all([readObjects(root, oids), filtered(root, paths)]);
  return new Map(
    wanted.flatMap(({ path, oid, size }): [string, Buffer | string][] => {
      const bytes = objects.get(oid);
      if (!bytes) return [];
      const whole = bytes.length === size && !converted.has(path);
      return [[path, whole ? bytes : "git stores it in another form"]];
    }),
  );
}

function contentBefore(was: ScannedFile | undefined, found: Buffer | string | undefined, keeper: Keeper): FileState {
  if (!was) return absent;
  const { mode, content } = was;
  if (content.kind !== "git") return keeper.store(content);
  if (Buffer.isBuffer(found)) return keeper.keep(found, mode);
  const { size } = content;
  const { maxFileBytes } = keeper.limits;
  const reason = size > maxFileBytes ? tooLarge(maxFileBytes) : (found ?? "git has lost it");
  return { kind: "uncovered", mode, size, reason };
}

/** A file that git tracks is read too, to compute its hash. */
function presentOf(root: string, path: string, seen: ScannedFile | undefined, keeper: Keeper): FileState {
  if (!seen) return absent;
  return seen.content.kind === "git" ? read(root, path, keeper) : keeper.store(seen.content);
}
