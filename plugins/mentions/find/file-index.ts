import type { FileList, Mentions } from "../mentions.ts";
import { listFiles } from "./listing.ts";
import { type Entry, entryOf } from "./ranking.ts";

/** Milliseconds after which a search lists the files again, in the background. */
const FRESH_MS = 2_000;

/** The files and folders of the session's directory. Listed at the first search, and updated at later ones. */
export class FileIndex implements FileList {
  private readonly mentions: Mentions;
  private readonly now: () => number;
  private known = new Map<string, Entry>();
  private sorted: readonly Entry[] = [];
  /** The entries that the first listing has found so far. */
  private arriving: Entry[] = [];
  private listing: Promise<void> | undefined;
  /** The error of the last listing that has failed, and when it happened. */
  private failure: { thrown: unknown; at: number } | undefined;
  private listedAt = Number.NEGATIVE_INFINITY;
  isCut = false;

  constructor(mentions: Mentions, now: () => number = () => performance.now()) {
    this.mentions = mentions;
    this.now = now;
  }

  get entries(): readonly Entry[] {
    return this.isFirst ? this.arriving : this.sorted;
  }

  /** Whether the files are being listed, so that more may be found soon. */
  get isReading(): boolean {
    return this.listing !== undefined;
  }

  /** Whether the last listing ended less than `FRESH_MS` ago. */
  get isFresh(): boolean {
    return this.now() - this.listedAt < FRESH_MS;
  }

  async ready(): Promise<void> {
    if (this.isFresh) return;
    const { isFirst, failure } = this;
    if (isFirst && failure && this.now() - failure.at < FRESH_MS) throw failure.thrown;
    const listing = this.refresh();
    if (isFirst) await listing;
    else void listing.catch((thrown) => this.mentions.ctx.report("listing files", thrown));
  }

  /** Lists the files again. Searches meanwhile use the former list. */
  refresh(): Promise<void> {
    if (this.listing) return this.listing;
    const listing = this.list().finally(() => {
      this.listing = undefined;
      this.arriving = [];
    });
    // The listing may reject when nothing waits for it.
    listing.catch((thrown) => {
      this.failure = { thrown, at: this.now() };
    });
    this.listing = listing;
    return listing;
  }

  private get isFirst(): boolean {
    return this.listedAt === Number.NEGATIVE_INFINITY;
  }

  private async list(): Promise<void> {
    const before = this.known;
    const known = new Map<string, Entry>();
    let hasNew = false;
    const add = (path: string) => {
      // Entries that were known before are not computed again.
      const old = before.get(path);
      const entry = old ?? entryOf(path);
      hasNew ||= old === undefined;
      known.set(path, entry);
      if (this.isFirst) this.arriving.push(entry);
    };
    this.isCut = await listFiles(this.mentions, (name) => {
      if (known.has(name)) return;
      add(name);
      for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
        const folder = name.slice(0, end + 1);
        if (known.has(folder)) break;
        add(folder);
      }
    });
    if (hasNew || known.size !== before.size)
      this.sorted = [...known.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.known = known;
    this.listedAt = this.now();
  }
}
