import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../scan/clock.ts";
import { hasMark, type ScanContext, type ScannedFile } from "../scan/scanned-file.ts";
import type { Listing, Source } from "../scan/source.ts";
import { git } from "./git.ts";
import { GitIndex } from "./index-copy.ts";
import { type Index, parseIndex, parseRaw } from "./output.ts";
import { type Ask, Untracked } from "./untracked.ts";

/** The result of a scan, on which the next one builds. */
interface Last {
  /** Tracked files whose times differ from the index. */
  changed: ReadonlySet<string>;
  /** Files that git neither tracks nor ignores. */
  others: ReadonlySet<string>;
  /** Whether git could not examine some tracked files; it does not say which. */
  isPartial: boolean;
}

/**
 * Lists the tracked and the untracked, not ignored files of a repository. Git compares the tracked files with its index, so
 * only those that differ, or differed last time, have to be examined.
 */
export class GitSource implements Source {
  private readonly context: ScanContext;
  private readonly copy: GitIndex;
  private readonly untracked: Untracked;
  private index: Index | undefined;
  private last: Last = { changed: new Set(), others: new Set(), isPartial: false };
  /** Whether the index changed since the last complete scan, so that all its files must be compared. */
  private isNew = true;

  constructor(context: ScanContext) {
    this.context = context;
    this.copy = new GitIndex(context.root);
    this.untracked = new Untracked(context.root, this.ask);
  }

  close(): void {
    this.copy.close();
  }

  async list(known: ReadonlyMap<string, ScannedFile>, clock: Clock): Promise<Listing | string> {
    const { maxFiles, fewFiles } = this.context;
    const hasChanged = this.copy.refresh();
    if (hasChanged) {
      this.isNew = true;
      this.index = undefined;
    }
    // Examining a few files is faster than starting git.
    const isFew = known.size <= fewFiles;
    let isPartial = false;
    const onComplaint = () => {
      isPartial = true;
    };
    const reading = this.readIndex(clock);
    const [{ tracked, unsure }, changed, others] = await clock.waitFor(
      Promise.all([
        reading,
        isFew ? "" : this.ask(CHANGED, { onComplaint }),
        this.untracked.list(hasChanged, reading, clock),
      ]),
    );
    const now = { changed: parseRaw(changed), others, isPartial };
    if (tracked.size + others.size > maxFiles) return `more than ${maxFiles} files`;
    const all = isFew || isPartial || this.last.isPartial;
    const inIndex = all ? tracked.keys() : this.isNew ? await unlikeKnown(tracked, known, clock) : [];
    const gone = this.isNew ? without(tracked, known.keys()) : [];
    return {
      suspects: this.suspects([inIndex, gone, now.changed, others], unsure, known),
      lists: (path) => tracked.has(path) || others.has(path),
      tracked: (path) => tracked.get(path) ?? undefined,
      accept: () => {
        this.last = now;
        this.isNew = false;
      },
    };
  }

  private async readIndex(clock: Clock): Promise<Index> {
    this.index ??= await parseIndex(await clock.waitFor(this.ask(INDEX)), this.copy.written, clock);
    return this.index;
  }

  private *suspects(
    found: readonly Iterable<string>[],
    unsure: readonly string[],
    known: ReadonlyMap<string, ScannedFile>,
  ): Iterable<string> {
    for (const paths of [...found, this.last.changed, this.last.others]) yield* paths;
    const isThere = existing(this.context.root);
    for (const path of unsure) if (known.has(path) || isThere(dirname(path))) yield path;
  }

  private readonly ask: Ask = async (args, options = {}) => {
    const { root, signal } = this.context;
    return (await git(root, args, { ...options, signal, index: this.copy.path })).toString();
  };
}

const INDEX = ["ls-files", "-z", "--stage", "--debug"];
const CHANGED = ["diff-files", "-z", "--raw", "--relative", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"];

/** The files that a new index has in another version than the last scan. */
async function unlikeKnown(
  tracked: Index["tracked"],
  known: ReadonlyMap<string, ScannedFile>,
  clock: Clock,
): Promise<string[]> {
  const unlike: string[] = [];
  for (const [path, entry] of tracked) {
    if (clock.isDue) await clock.pause();
    if (entry === null) continue;
    const seen = known.get(path);
    if (!seen || !hasMark(seen, entry)) unlike.push(path);
  }
  return unlike;
}

function* without(tracked: Index["tracked"], paths: Iterable<string>): Iterable<string> {
  for (const path of paths) if (!tracked.has(path)) yield path;
}

/** Returns a cached test for whether a folder of the project exists. */
function existing(root: string): (folder: string) => boolean {
  const answers = new Map([[".", true]]);
  const isThere = (folder: string): boolean => {
    const answer = answers.get(folder) ?? (isThere(dirname(folder)) && fs.existsSync(join(root, folder)));
    answers.set(folder, answer);
    return answer;
  };
  return isThere;
}
