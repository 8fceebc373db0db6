import { messageOf } from "@scorel/kernel";
import { IN_BACKGROUND } from "../config.ts";
import { isGitRoot } from "../git/index-copy.ts";
import { GitSource } from "../git/source.ts";
import { CLOSED } from "../record/notes.ts";
import { PlainParents } from "../record/observe.ts";
import { Clock, tooLong } from "./clock.ts";
import type { Change, Difference } from "./compare.ts";
import {
  differ,
  type Mark,
  observeNow,
  type ScanContext,
  type ScannedFile,
  scanFile,
  TICK_MS,
  type Tracked,
} from "./scanned-file.ts";
import type { Listing, Source } from "./source.ts";
import { WalkSource } from "./walk-source.ts";

/** An incomplete scan. */
export interface Failure {
  reason: string;
  /** Whether a limit was exceeded, so that the next scan would fail too. */
  hopeless: boolean;
}

/** The lag in milliseconds of the clock from which file systems take their times. */
const CLOCK_LAG_MS = 10;

/** Keeps the state of the project's files, updated by scans. */
export class Survey {
  private readonly context: ScanContext;
  private source: Source | undefined;
  private isGit = false;
  readonly known = new Map<string, ScannedFile>();
  /** Files that a failed scan has read, so that the next one need not read them. */
  private partial = new Map<string, ScannedFile>();
  /** Paths that the next scan always examines: their marks prove nothing, or they may not be listed. */
  private readonly doubtful = new Set<string>();
  /** Earlier states of paths that tools touched between scans; the files may have been moved. */
  private left: ScannedFile[] = [];
  /** When the last complete scan began, in milliseconds since the epoch. */
  private since = Number.NEGATIVE_INFINITY;
  /** Paths that tools touched during a scan, which may have seen them before or after. */
  private meanwhile: Map<string, ScannedFile | undefined> | undefined;

  constructor(context: ScanContext) {
    this.context = context;
  }

  /** Reads a path now. */
  see(path: string): ScannedFile | undefined {
    const seen = observeNow(this.context, path);
    // A running scan must compare with the state from before.
    if (this.meanwhile) this.meanwhile.set(path, seen);
    else this.touch(path, seen);
    return seen;
  }

  /** Scans the project, updates the state and returns the differences. */
  async scan(): Promise<Difference | Failure> {
    this.meanwhile = new Map();
    try {
      const seen = await this.scanAll().catch((thrown) => ({ reason: messageOf(thrown), hopeless: false }));
      const isAborted = "reason" in seen && this.context.signal.aborted;
      return isAborted ? { reason: CLOSED, hopeless: false } : seen;
    } finally {
      for (const [path, seen] of this.meanwhile) this.touch(path, seen);
      this.meanwhile = undefined;
    }
  }

  close(): void {
    this.closeSource();
    this.context.keeper.close();
  }

  private closeSource(): void {
    this.source?.close();
    this.source = undefined;
  }

  /** The source of file lists; a command may have created or removed a repository. */
  private sourceNow(): Source {
    const isGit = isGitRoot(this.context.root);
    if (this.source && isGit === this.isGit) return this.source;
    this.closeSource();
    this.isGit = isGit;
    this.source = isGit ? new GitSource(this.context) : new WalkSource(this.context);
    return this.source;
  }

  private async scanAll(): Promise<Difference | Failure> {
    const { maxScanMs, signal } = this.context;
    const clock = new Clock(maxScanMs * IN_BACKGROUND, signal);
    const since = Date.now();
    const doubtful = [...this.doubtful];
    const listing = await this.sourceNow().list(this.known, clock);
    if (typeof listing === "string") return { reason: listing, hopeless: true };
    const found = new Map<string, ScannedFile | undefined>();
    const readBefore = this.partial.size;
    const parents = new PlainParents(this.context.root);
    for (const paths of [listing.suspects, doubtful])
      for (const path of paths) {
        if (clock.isDue) {
          if (!(await clock.pause())) return tooSlow(maxScanMs, this.partial.size > readBefore);
          parents.forget();
        }
        this.lookAt(path, parents, listing, found);
      }
    const difference = this.difference(found);
    for (const [path, now] of found) this.replace(path, listing.lists(path) ? now : undefined);
    for (const path of [...doubtful, ...found.keys()]) this.judge(path, listing.tracked(path), since);
    this.partial.clear();
    this.left = [];
    this.since = since;
    listing.accept();
    return difference;
  }

  private lookAt(
    path: string,
    parents: PlainParents,
    listing: Listing,
    found: Map<string, ScannedFile | undefined>,
  ): void {
    const before = this.known.get(path);
    const now = scanFile(this.context, parents, path, listing.tracked(path), this.partial.get(path) ?? before);
    if (now !== before && now && now.content.kind !== "git") this.partial.set(path, now);
    // Outside of git, every file is examined, and most are unchanged.
    if (this.isGit || now !== before || !listing.lists(path)) found.set(path, now);
  }

  private difference(found: ReadonlyMap<string, ScannedFile | undefined>): Difference {
    const changes = [...found].flatMap(([path, now]): Change[] => {
      const was = this.known.get(path);
      return differ(was, now) ? [{ path, was, now }] : [];
    });
    const hidden = this.hiddenIn(changes);
    return { changes: hidden.size === 0 ? changes : changes.filter((it) => !hidden.has(it)), hidden: hidden.size };
  }

  /**
   * Changes whose earlier state is unknown: files that are newly listed but older than the last scan, and not moved from a
   * listed place.
   */
  private hiddenIn(changes: readonly Change[]): Set<Change> {
    // File clocks lag: a scan may finish and a command run within the same tick.
    const since = this.since - (this.isGit ? CLOCK_LAG_MS : TICK_MS);
    const old = changes.filter(({ was, now }) => !was && now && now.born < since);
    if (old.length === 0) return new Set();
    const inodes = new Set([...this.known.values(), ...this.left].map(({ ino }) => ino));
    return new Set(old.filter(({ now }) => now && !inodes.has(now.ino)));
  }

  /** Records that a tool touched a path since the last scan. */
  private touch(path: string, now: ScannedFile | undefined): void {
    const before = this.known.get(path);
    if (before) this.left.push(before);
    this.replace(path, now);
    this.doubtful.add(path);
  }

  private replace(path: string, now: ScannedFile | undefined): void {
    if (now) this.known.set(path, now);
    else this.known.delete(path);
  }

  /** Decides whether the next scan must examine a path again. */
  private judge(path: string, tracked: Tracked | undefined, since: number): void {
    const seen = this.known.get(path);
    // A deleted file may return with the same inode and second as in the index.
    const isSettled = !this.isGit || [seen, tracked].every((mark) => !mark || isOlder(mark, since));
    if (!isSettled || seen?.young || seen?.content.kind === "uncovered") this.doubtful.add(path);
    else this.doubtful.delete(path);
  }
}

/** Whether a mark is older than a scan by at least a second: git without nanosecond support compares seconds only. */
function isOlder({ ctimeMs }: Mark, lookedAt: number): boolean {
  return Math.floor(ctimeMs / 1_000) < Math.floor((lookedAt - TICK_MS) / 1_000);
}

function tooSlow(maxScanMs: number, hasRead: boolean): Failure {
  return { reason: tooLong(maxScanMs), hopeless: !hasRead };
}
