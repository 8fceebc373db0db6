import { slices } from "@scorel/kit/values/slices";
import type { CheckpointFile, FileState, NotCovered } from "../contract.ts";
import { filtered, readObjects } from "../git/git.ts";
import type { Keeper } from "../record/keeper.ts";
import { tooLarge } from "../record/observe.ts";
import { absent, same } from "../record/state.ts";
import { read, type ScanContext, type ScannedFile } from "./scanned-file.ts";

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
  const contents = await fromGit(root, sorted);
  const files: CheckpointFile[] = [];
  const pause = slices();
  for (const [done, { path, was, now }] of sorted.entries()) {
    await pause();
    if (signal.aborted) return { files, notCovered: [{ path: ".", reason: leftOf(sorted.length, done) }] };
    const [before, after] = [contentBefore(was, contents.get(path), keeper), presentOf(root, path, now, keeper)];
    if (!same(before, after)) files.push({ path, before, after });
  }
  const reason = `${hidden} files came from ignored or outside places`;
  return { files, notCovered: hidden > 0 ? [{ path: ".", reason }] : [] };
}

function leftOf(all: number, done: number): string {
  return `the session closed before ${all - done} of ${all} changed files were recorded`;
}

/**
 * Contents from git's object store that are identical to the files; a string is the reason why a content is not
 * available.
 */
async function fromGit(root: string, changed: readonly Change[]): Promise<Map<string, Buffer | string>> {
  const wanted = changed.flatMap(({ path, was }) =>
    was?.content.kind === "git" ? [{ path, oid: was.content.oid, size: was.content.size }] : [],
  );
  const paths = wanted.map(({ path }) => path);
  const oids = [...new Set(wanted.map(({ oid }) => oid))];
  const [objects, converted] = await Promise.all([readObjects(root, oids), filtered(root, paths)]);
  return new Map(
    wanted.map(({ path, oid, size }) => {
      const bytes = objects.get(oid);
      const whole = bytes?.length === size && !converted.has(path);
      return [path, whole ? bytes : "git stores it in another form"];
    }),
  );
}

function contentBefore(was: ScannedFile | undefined, found: Buffer | string | undefined, keeper: Keeper): FileState {
  if (!was) return absent;
  const { mode, content } = was;
  if (content.kind !== "git") return keeper.store(content);
  if (!Buffer.isBuffer(found))
    return { kind: "uncovered", mode, size: content.size, reason: found ?? "git has lost it" };
  const { maxFileBytes } = keeper.limits;
  if (found.length > maxFileBytes)
    return { kind: "uncovered", mode, size: found.length, reason: tooLarge(maxFileBytes) };
  return keeper.keep(found, mode);
}

/** A file that git tracks is read too, to compute its hash. */
function presentOf(root: string, path: string, seen: ScannedFile | undefined, keeper: Keeper): FileState {
  if (!seen) return absent;
  return seen.content.kind === "git" ? read(root, path, keeper) : keeper.store(seen.content);
}
