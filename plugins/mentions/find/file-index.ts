import type { FileList, Mentions } from "../mentions.ts";
import { listFiles } from "./listing.ts";
import { type Entry, entryOf } from "./ranking.ts";

/** Milliseconds after which the files are listed again, in the background, when somebody searches. */
const FRESH_MS = 2_000;

/** The files and folders of the session's directory, listed when somebody searches for the first time and kept up to date then. */
export class FileIndex implements FileList {
  private readonly mentions: Mentions;
  private readonly now: () => number;
  private known = new Map<string, Entry>();
  private sorted: readonly Entry[] = [];
  private listing: Promise<void> | undefined;
  private listedAt = Number.NEGATIVE_INFINITY;
  isCut = false;

  constructor(mentions: Mentions, now: () => number = () => performance.now()) {
    this.mentions = mentions;
    this.now = now;
  }

  get entries(): readonly Entry[] {
    return this.sorted;
  }

  async ready(): Promise<void> {
    const isFirst = this.listedAt === Number.NEGATIVE_INFINITY;
    if (!isFirst && this.now() - this.listedAt < FRESH_MS) return;
    const listing = this.refresh();
    if (isFirst) await listing;
    else void listing.catch((thrown) => this.mentions.ctx.report("listing files", thrown));
  }

  /** Searches that come meanwhile use the list before. */
  refresh(): Promise<void> {
    this.listing ??= this.list().finally(() => {
      this.listing = undefined;
    });
    return this.listing;
  }

  private async list(): Promise<void> {
    const { names, cut } = await listFiles(this.mentions);
    const before = this.known;
    const known = new Map<string, Entry>();
    // What was known is not computed again.
    const add = (path: string) => known.set(path, before.get(path) ?? entryOf(path));
    for (const name of names) {
      add(name);
      for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1)) {
        const folder = name.slice(0, end + 1);
        if (known.has(folder)) break;
        add(folder);
      }
    }
    const isSame = known.size === before.size && names.every((name) => before.has(name));
    if (!isSame) this.sorted = [...known.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    this.known = known;
    this.isCut = cut;
    this.listedAt = this.now();
  }
}
