import { messageOf } from "@scorel/kernel";
import { Clock } from "./clock.ts";
import type { Change, Difference } from "./compare.ts";
import { isGitRoot } from "./git-index.ts";
import { GitSource } from "./git-source.ts";
import { PlainParents } from "./observe.ts";
import { differ, type Ground, look, type Mark, type Seen, seeNow, TICK_MS, type Tracked } from "./seen.ts";
import type { Listing, Source } from "./source.ts";
import { WalkSource } from "./walk-source.ts";

/** A look that did not see everything. */
export interface Failure {
  reason: string;
  /** By its limits, so that the next one would fail as well. */
  hopeless: boolean;
}

/** Ticks of the slowest clock that file systems are known to take their times from. */
const CLOCK_LAG_MS = 10;

/** The known state of the project's files, brought up to date by looks. */
export class Survey {
  private readonly ground: Ground;
  private source: Source | undefined;
  private isGit = false;
  readonly known = new Map<string, Seen>();
  /** Files that a failed look has read, so that the next look need not read them. */
  private partial = new Map<string, Seen>();
  /** Paths to look at whatever the source says: their marks prove nothing, or they may not be listed. */
  private readonly doubtful = new Set<string>();
  /** What was at paths that were looked at between two looks: it may be somewhere else now. */
  private left: Seen[] = [];
  /** When the last whole look began, in milliseconds since the epoch. */
  private since = Number.NEGATIVE_INFINITY;
  /** What tools with known paths did while a look was under way: it may have seen the file before or after. */
  private meanwhile: Map<string, Seen | undefined> | undefined;

  constructor(ground: Ground) {
    this.ground = ground;
  }

  /** Reads a path now. */
  see(path: string): Seen | undefined {
    const seen = seeNow(this.ground, path);
    // What a look under way compares with stays as it was.
    if (this.meanwhile) this.meanwhile.set(path, seen);
    else this.touch(path, seen);
    return seen;
  }

  /** Brings what is known up to date, and answers how it differs from before. */
  async look(): Promise<Difference | Failure> {
    this.meanwhile = new Map();
    try {
      return await this.lookThrough();
    } catch (thrown) {
      return { reason: messageOf(thrown), hopeless: false };
    } finally {
      for (const [path, seen] of this.meanwhile) this.touch(path, seen);
      this.meanwhile = undefined;
    }
  }

  close(): void {
    this.closeSource();
    this.ground.keeper.close();
  }

  private closeSource(): void {
    this.source?.close();
    this.source = undefined;
  }

  /** A command may have made the project a repository, or removed that. */
  private sourceNow(): Source {
    const isGit = isGitRoot(this.ground.root);
    if (this.source && isGit === this.isGit) return this.source;
    this.closeSource();
    this.isGit = isGit;
    this.source = isGit ? new GitSource(this.ground) : new WalkSource(this.ground);
    return this.source;
  }

  private async lookThrough(): Promise<Difference | Failure> {
    const { maxScanMs, signal } = this.ground;
    const clock = new Clock(maxScanMs, signal);
    const since = Date.now();
    const doubtful = [...this.doubtful];
    const listing = await this.sourceNow().list(this.known, clock);
    if (typeof listing === "string") return { reason: listing, hopeless: true };
    const found = new Map<string, Seen | undefined>();
    const readBefore = this.partial.size;
    const parents = new PlainParents(this.ground.root);
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

  private lookAt(path: string, parents: PlainParents, listing: Listing, found: Map<string, Seen | undefined>): void {
    const before = this.known.get(path);
    const now = look(this.ground, parents, path, listing.tracked(path), this.partial.get(path) ?? before);
    if (now !== before && now && now.content.kind !== "git") this.partial.set(path, now);
    // In a plain folder every file is looked at, and most are what they were.
    if (this.isGit || now !== before || !listing.lists(path)) found.set(path, now);
  }

  private difference(found: ReadonlyMap<string, Seen | undefined>): Difference {
    const changes = [...found].flatMap(([path, now]): Change[] => {
      const was = this.known.get(path);
      return differ(was, now) ? [{ path, was, now }] : [];
    });
    const hidden = this.hiddenIn(changes);
    return { changes: hidden.size === 0 ? changes : changes.filter((it) => !hidden.has(it)), hidden: hidden.size };
  }

  /** Listed only now, but older than the look before and not moved from a listed place: what they were is not known. */
  private hiddenIn(changes: readonly Change[]): Set<Change> {
    // The clock of files lags: a look can be over, and a command run, within its tick.
    const since = this.since - (this.isGit ? CLOCK_LAG_MS : TICK_MS);
    const old = changes.filter(({ was, now }) => !was && now && now.born < since);
    if (old.length === 0) return new Set();
    const inodes = new Set([...this.known.values(), ...this.left].map(({ ino }) => ino));
    return new Set(old.filter(({ now }) => now && !inodes.has(now.ino)));
  }

  /** A tool has been at this path since the last look. */
  private touch(path: string, now: Seen | undefined): void {
    const before = this.known.get(path);
    if (before) this.left.push(before);
    this.replace(path, now);
    this.doubtful.add(path);
  }

  private replace(path: string, now: Seen | undefined): void {
    if (now) this.known.set(path, now);
    else this.known.delete(path);
  }

  /** Whether the next look has to include a path that was looked at just now. */
  private judge(path: string, tracked: Tracked | undefined, since: number): void {
    const seen = this.known.get(path);
    // A file that is gone may come back with the inode and the second that the index has for it.
    const isSettled = !this.isGit || [seen, tracked].every((mark) => !mark || isOlder(mark, since));
    if (!isSettled || seen?.young || seen?.content.kind === "uncovered") this.doubtful.add(path);
    else this.doubtful.delete(path);
  }
}

/** A git that was built without nanoseconds notices a change only when it falls in a later second than the last one. */
function isOlder({ ctimeMs }: Mark, lookedAt: number): boolean {
  return Math.floor(ctimeMs / 1_000) < Math.floor((lookedAt - TICK_MS) / 1_000);
}

function tooSlow(most: number, hasRead: boolean): Failure {
  return { reason: `looking took more than ${most} ms`, hopeless: !hasRead };
}
