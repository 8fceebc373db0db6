import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "./clock.ts";
import { git } from "./git.ts";
import { GitIndex } from "./git-index.ts";
import { type Index, namesIn, parseIndex, parseRaw } from "./git-output.ts";
import { type Ground, hasMark, type Seen } from "./seen.ts";
import type { Listing, Source } from "./source.ts";

/** What a look at a git repository found, for the next one to go on from. */
interface Last {
  /** Tracked files whose times are not those of the index. */
  changed: ReadonlySet<string>;
  /** Files that git neither tracks nor ignores. */
  others: ReadonlySet<string>;
  /** git could not look at some tracked files, and does not say at which. */
  isPartial: boolean;
}

/**
 * The tracked and the untracked, not ignored files of a repository. Git itself compares the times of the tracked ones with
 * its index, so that only those are looked at here that differ from it, or did last time.
 */
export class GitSource implements Source {
  private readonly ground: Ground;
  private readonly copy: GitIndex;
  private index: Index | undefined;
  private last: Last = { changed: new Set(), others: new Set(), isPartial: false };
  /** The index has changed since the last look that was whole: every file of it is compared with what is known. */
  private isNew = true;

  constructor(ground: Ground) {
    this.ground = ground;
    this.copy = new GitIndex(ground.root);
  }

  close(): void {
    this.copy.close();
  }

  async list(known: ReadonlyMap<string, Seen>, clock: Clock): Promise<Listing | string> {
    const { maxFiles } = this.ground;
    if (this.copy.refresh()) {
      this.isNew = true;
      this.index = undefined;
    }
    let isPartial = false;
    const onComplaint = () => {
      isPartial = true;
    };
    const [index, changed, others] = await clock.waitFor(
      Promise.all([
        this.index ? undefined : this.ask(INDEX),
        // With a new index and nothing known, every file is looked at anyway. Nothing known alone may mean that all files are gone.
        this.isNew && known.size === 0 ? "" : this.ask(CHANGED, onComplaint),
        this.ask(OTHERS),
      ]),
    );
    if (index !== undefined) this.index = await parseIndex(index, this.copy.written, clock);
    const { tracked, unsure } = this.index as Index;
    const now = { changed: parseRaw(changed), others: namesIn(others), isPartial };
    if (tracked.size + now.others.size > maxFiles) return `more than ${maxFiles} files`;
    const unlike = this.isNew ? await unlikeKnown(tracked, known, clock) : [];
    const all = isPartial || this.last.isPartial ? tracked.keys() : [];
    return {
      suspects: this.suspects([unlike, all, now.changed, now.others], unsure, known),
      lists: (path) => tracked.has(path) || now.others.has(path),
      tracked: (path) => tracked.get(path) ?? undefined,
      accept: () => {
        this.last = now;
        this.isNew = false;
      },
    };
  }

  private *suspects(
    found: readonly Iterable<string>[],
    unsure: readonly string[],
    known: ReadonlyMap<string, Seen>,
  ): Iterable<string> {
    for (const paths of [...found, this.last.changed, this.last.others]) yield* paths;
    const isThere = existing(this.ground.root);
    for (const path of unsure) if (known.has(path) || isThere(dirname(path))) yield path;
  }

  private async ask(args: readonly string[], onComplaint = () => {}): Promise<string> {
    const { root, signal } = this.ground;
    return (await git(root, args, { signal, onComplaint, index: this.copy.path })).toString();
  }
}

const INDEX = ["ls-files", "-z", "--stage", "--debug"];
const CHANGED = ["diff-files", "-z", "--raw", "--relative", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"];
const OTHERS = ["ls-files", "-z", "--others", "--exclude-standard"];

/** The files that a new index knows otherwise than the last look did, and those that it no longer knows. */
async function unlikeKnown(
  tracked: Index["tracked"],
  known: ReadonlyMap<string, Seen>,
  clock: Clock,
): Promise<string[]> {
  const unlike: string[] = [];
  for (const [path, entry] of tracked) {
    if (clock.isDue) await clock.pause();
    if (entry === null) continue;
    const seen = known.get(path);
    if (!seen || !hasMark(seen, entry)) unlike.push(path);
  }
  for (const path of known.keys()) if (!tracked.has(path)) unlike.push(path);
  return unlike;
}

/** Answers whether a folder of the project exists, looking at each at most once. */
function existing(root: string): (folder: string) => boolean {
  const answers = new Map([[".", true]]);
  const isThere = (folder: string): boolean => {
    const answer = answers.get(folder) ?? (isThere(dirname(folder)) && fs.existsSync(join(root, folder)));
    answers.set(folder, answer);
    return answer;
  };
  return isThere;
}
