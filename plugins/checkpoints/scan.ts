import * as fs from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import type { CheckpointFile, FileState, NotCovered } from "./contract.ts";
import { filtered, readObjects } from "./git.ts";
import { type Clean, isGitRoot, type Listing, listByGit, listByWalk, markOf } from "./listing.ts";
import { hasPlainParents, type Keeper, observe, tooLarge } from "./observe.ts";
import { absent, same } from "./state.ts";

/** Changes that follow each other faster than a file system's clock may leave a file's times as they were. */
const TICK_MS = 50;
/** How long a scan keeps the thread before others get their turn. */
const SLICE_MS = 2;

export interface Ground {
  root: string;
  home: string;
  keeper: Keeper;
  maxFiles: number;
  /** Milliseconds of this thread that one scan may take. */
  maxScanMs: number;
  signal: AbortSignal;
}

/** A file as a scan saw it; one that git's object store still has is not read before it changes. */
export interface Seen {
  mark: string;
  mode: number;
  /** Milliseconds since the epoch; no file is older than its inode. */
  born: number;
  /** Read so soon after its last change that equal marks prove nothing. */
  young: boolean;
  content: FileState | { kind: "git"; oid: string; size: number };
}
export interface Snapshot {
  /** When the scan began, in milliseconds since the epoch. */
  since: number;
  files: Map<string, Seen>;
  /** Files whose path was looked at again since: they may be somewhere else now. */
  left: Seen[];
}

/** Puts what is known of a path since the scan in its place. */
export function update({ files, left }: Snapshot, path: string, now: Seen | undefined): void {
  const before = files.get(path);
  if (before) left.push(before);
  if (now) files.set(path, now);
  else files.delete(path);
}

/**
 * Looks at every file that a command may change and knows its content from then on; a text says why it did not. What is
 * in `seen` is not read again unless it changed, and what was read is added to it, so that a look that was cut short
 * makes the next one shorter.
 */
export async function scan(ground: Ground, seen: Map<string, Seen>): Promise<Snapshot | string> {
  const { maxFiles, maxScanMs } = ground;
  const clock = new Clock(maxScanMs, ground.signal);
  const since = Date.now();
  try {
    const listing = await list(ground, clock);
    if (typeof listing === "string") return listing;
    if (listing.size > maxFiles) return tooMany(maxFiles);
    const files = new Map<string, Seen>();
    for (const [path, clean] of listing) {
      if (!(await clock.breathe())) return `looking took more than ${maxScanMs} ms`;
      const now = look(ground, path, clean, seen.get(path));
      if (!now) continue;
      files.set(path, now);
      seen.set(path, now);
    }
    return { since, files, left: [] };
  } catch (thrown) {
    return messageOf(thrown);
  }
}

async function list({ root, home, maxFiles, signal }: Ground, clock: Clock): Promise<Listing | string> {
  if (isGitRoot(root)) return listByGit(root, signal);
  // Nobody wants copies of a whole home, with all the keys in it.
  if (`${home}/`.startsWith(root.endsWith("/") ? root : `${root}/`)) return "the home directory is not looked through";
  return (await listByWalk(root, maxFiles, () => clock.breathe())) ?? tooMany(maxFiles);
}

/** How the project differs between two scans. */
export async function compare(
  ground: Ground,
  before: Snapshot,
  after: Snapshot,
): Promise<{ files: CheckpointFile[]; notCovered: NotCovered[] }> {
  const { root, keeper } = ground;
  const pairs = [...new Set([...before.files.keys(), ...after.files.keys()])]
    .map((path) => ({ path, was: before.files.get(path), now: nowAt(ground, after, path) }))
    .filter(({ was, now }) => differ(was, now));
  // The clock of files lags: a walk can be over, and a command run, within its tick. Asking git takes longer than that.
  const hidden = hiddenBefore(before, pairs, isGitRoot(root) ? 0 : TICK_MS);
  const changed = pairs.filter(({ path }) => !hidden.has(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  const contents = await fromGit(root, changed);
  const files = changed.flatMap(({ path, was, now }) => {
    const [old, present] = [contentBefore(was, contents.get(path), keeper), presentOf(root, path, now, keeper)];
    return same(old, present) ? [] : [{ path, before: old, after: present }];
  });
  const reason = `${hidden.size} files came from ignored or outside places`;
  return { files, notCovered: hidden.size > 0 ? [{ path: ".", reason }] : [] };
}

interface Pair {
  path: string;
  was: Seen | undefined;
  now: Seen | undefined;
}

/** A file that is no longer listed may be there still: ignored from now on. */
function nowAt(ground: Ground, after: Snapshot, path: string): Seen | undefined {
  return after.files.get(path) ?? seeNow(ground, path);
}

/** Listed only now, but older than the scan before and not moved from a listed place: what they were is not known. */
function hiddenBefore(before: Snapshot, pairs: readonly Pair[], slack: number): Set<string> {
  const old = pairs.filter(({ was, now }) => !was && now && now.born < before.since - slack);
  if (old.length === 0) return new Set();
  const inodes = new Set([...before.files.values(), ...before.left].map(inodeOf));
  return new Set(old.filter(({ now }) => now && !inodes.has(inodeOf(now))).map(({ path }) => path));
}

function inodeOf({ mark }: Seen): string {
  return mark.slice(0, mark.indexOf(":"));
}

/** What is at a path now, for a snapshot; undefined when there is no file. Its content is kept. */
export function seeNow({ root, keeper }: Ground, path: string): Seen | undefined {
  const stat = statOf(root, path);
  return stat && seenAs(stat, read(root, path, keeper));
}

function look(
  { root, keeper }: Ground,
  path: string,
  clean: Clean | undefined,
  last: Seen | undefined,
): Seen | undefined {
  const stat = statOf(root, path);
  if (!stat) return undefined;
  const mark = markOf(stat);
  if (last && last.mark === mark && last.mode === (stat.mode & 0o7777) && !last.young && !isLeftOut(last, keeper))
    return last;
  if (clean && clean.mark === mark && clean.executable === ((stat.mode & 0o100) !== 0) && !isYoung(stat))
    return seenAs(stat, { kind: "git", oid: clean.oid, size: stat.size });
  return seenAs(stat, read(root, path, keeper));
}

/** It was too much for an earlier turn, and is not for this one. */
function isLeftOut({ content }: Seen, keeper: Keeper): boolean {
  return content.kind === "uncovered" && keeper.fits(content.size);
}

function seenAs(stat: fs.Stats, content: Seen["content"]): Seen {
  return { mark: markOf(stat), mode: stat.mode & 0o7777, born: bornAt(stat), young: isYoung(stat), content };
}

/** Some file systems do not say when a file was made. */
function bornAt({ birthtimeMs, ctimeMs }: fs.Stats): number {
  return birthtimeMs > 0 ? Math.min(birthtimeMs, ctimeMs) : ctimeMs;
}

function isYoung({ ctimeMs }: fs.Stats): boolean {
  return Date.now() - ctimeMs < TICK_MS;
}

function statOf(root: string, path: string): fs.Stats | undefined {
  try {
    const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false });
    return stat?.isFile() || stat?.isSymbolicLink() ? stat : undefined;
  } catch {
    return undefined; // A parent that became a file, or is closed: nothing to be seen here.
  }
}

function read(root: string, path: string, keeper: Keeper): FileState {
  if (!hasPlainParents(root, path)) return absent;
  return observe(join(root, path), keeper.limits.maxFileBytes, (bytes, mode) => keeper.keep(bytes, mode));
}

function differ(before: Seen | undefined, after: Seen | undefined): boolean {
  if (before === after) return false;
  if (!before || !after || before.mark !== after.mark || before.mode !== after.mode) return true;
  return before.content.kind !== "git" && after.content.kind !== "git" && !same(before.content, after.content);
}

/** Contents that git has and that are, byte for byte, what the files had. */
async function fromGit(root: string, changed: readonly Pair[]): Promise<Map<string, Buffer | string>> {
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
      return [path, whole ? bytes : "git keeps it in another form"];
    }),
  );
}

function contentBefore(was: Seen | undefined, found: Buffer | string | undefined, keeper: Keeper): FileState {
  if (!was) return absent;
  const { mode, content } = was;
  if (content.kind !== "git") return content;
  if (!Buffer.isBuffer(found))
    return { kind: "uncovered", mode, size: content.size, reason: found ?? "git has lost it" };
  const { maxFileBytes } = keeper.limits;
  if (found.length > maxFileBytes)
    return { kind: "uncovered", mode, size: found.length, reason: tooLarge(maxFileBytes) };
  return keeper.keep(found, mode);
}

/** A file that git has taken in needs no copy, but a hash to be known by. */
function presentOf(root: string, path: string, seen: Seen | undefined, keeper: Keeper): FileState {
  if (!seen) return absent;
  return seen.content.kind === "git" ? read(root, path, keeper) : seen.content;
}

function tooMany(most: number): string {
  return `more than ${most} files`;
}

/** Counts only the time that is spent on this thread, and gives the thread away in between. */
class Clock {
  private readonly most: number;
  private readonly signal: AbortSignal;
  private spent = 0;
  private since = performance.now();

  constructor(most: number, signal: AbortSignal) {
    this.most = most;
    this.signal = signal;
  }

  /** False: the time is up, or nobody waits any more. */
  async breathe(): Promise<boolean> {
    const slice = performance.now() - this.since;
    if (slice < SLICE_MS) return true;
    this.spent += slice;
    await new Promise((resolve) => setImmediate(resolve));
    this.since = performance.now();
    return this.spent <= this.most && !this.signal.aborted;
  }
}
