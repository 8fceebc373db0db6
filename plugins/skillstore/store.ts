import { existsSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SharedFiles } from "@scorel/host/contract";
import type { Archives } from "@scorel/packages/contract";
import { type Address, addressOf } from "./address.ts";
import type { PlacedSkills, Reach, SkillStore, StagedSkills, StoredSkills } from "./contract.ts";
import { errors } from "./errors.ts";
import { markOf } from "./fetch.ts";
import { createLockReader, lockFileIn, parseLock, type SkillLock } from "./lock-file.ts";
import { keep, sweep, treesIn } from "./staging.ts";

/** The dependencies of the store. */
export interface StoreOptions {
  /** `~/.scorel`. */
  home: string;
  archives: Archives;
  files: () => SharedFiles | undefined;
}

/** Milliseconds until a root is fetched again after a failure. */
const RETRY_MS = 10 * 60_000;

/** The skill store in a home folder. */
export class Store implements SkillStore {
  readonly home: string;
  readonly archives: Archives;
  private readonly files: StoreOptions["files"];
  private readonly read: () => SkillLock;
  /** Fetches of roots in progress, by id; `failed` has the time of failures. */
  private readonly fetching = new Map<string, Promise<PlacedSkills>>();
  private readonly failed = new Map<string, { at: number; thrown: unknown }>();

  constructor({ home, archives, files }: StoreOptions) {
    this.home = home;
    this.archives = archives;
    this.files = files;
    this.read = createLockReader(home);
  }

  async list(): Promise<PlacedSkills[]> {
    const sources = Object.entries(this.read().sources).map(([id, source]) => this.placed({ ...source, id }));
    return sources.sort((a, b) => compare(a.addedAt, b.addedAt) || compare(a.name, b.name));
  }

  async find(address: string, base: string): Promise<PlacedSkills | undefined> {
    return this.byId(addressOf(address, base).id);
  }

  async root(given: string, base: string, reach: Reach): Promise<PlacedSkills> {
    const address = addressOf(given, base);
    const there = this.byId(address.id);
    if (there) return there;
    const before = this.failed.get(address.id);
    if (before && performance.now() - before.at < RETRY_MS) throw before.thrown;
    const others = this.fetching.get(address.id);
    // The other caller may have been cancelled; this one then starts again.
    if (others) return await others.catch(() => this.root(given, base, reach));
    const work = this.fetchRoot(address, reach).finally(() => this.fetching.delete(address.id));
    this.fetching.set(address.id, work);
    return await work;
  }

  async stage(given: string, base: string, reach: Reach, instead?: string): Promise<StagedSkills> {
    return await (await import("./staged.ts")).stage(this, addressOf(given, base), reach, instead);
  }

  async remove(id: string): Promise<boolean> {
    const { sources } = this.read();
    const entry = Object.hasOwn(sources, id) ? sources[id] : undefined;
    if (!entry) return false;
    await this.change(({ sources: now }) => {
      delete now[id];
    });
    const isShared = Object.values(this.read().sources).some(({ tree }) => tree === entry.tree);
    if (!isShared) rmSync(join(treesIn(this.home), entry.tree), { recursive: true, force: true });
    return true;
  }

  byId(id: string): PlacedSkills | undefined {
    const { sources } = this.read();
    const source = Object.hasOwn(sources, id) ? sources[id] : undefined;
    return source && this.placed({ ...source, id });
  }

  /** Changes the lock file atomically, one process at a time. If `change` throws, nothing is changed. */
  async change(change: (lock: SkillLock) => void): Promise<void> {
    const path = lockFileIn(this.home);
    const files = this.files();
    if (!files) throw errors.SKILLSTORE_NO_HOST();
    await files.changeFile(path, (text) => {
      const lock = parseLock(path, text);
      change(lock);
      return `${JSON.stringify(lock, null, 2)}\n`;
    });
  }

  /** Keeps a replaced tree for a day, for sessions that still read it. */
  retire(tree: string): void {
    keep(join(treesIn(this.home), tree));
    sweep(this.home, new Set(Object.values(this.read().sources).map((source) => source.tree)));
  }

  private placed(source: StoredSkills): PlacedSkills {
    const folder = join(treesIn(this.home), source.tree, "files");
    const real = existsSync(folder) ? realpathSync.native(folder) : folder;
    const isStale = source.mark !== undefined && markOf(addressOf(source.from, "/")) !== source.mark;
    return { ...source, folder: real, ...(isStale && { isStale }) };
  }

  private async fetchRoot(address: Address, reach: Reach): Promise<PlacedSkills> {
    const { stage, freeName } = await import("./staged.ts");
    let staged: StagedSkills | undefined;
    try {
      staged = await stage(this, address, reach);
      return await staged.install({ name: freeName(this.read(), address), added: false });
    } catch (thrown) {
      if (!reach.signal?.aborted) this.failed.set(address.id, { at: performance.now(), thrown });
      throw thrown;
    } finally {
      staged?.discard();
    }
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Creates the store; reads nothing until it is used. */
export function createStore(options: StoreOptions): Store {
  return new Store(options);
}
