import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ScorelError } from "@scorel/kernel";
import type { Archives } from "@scorel/packages/contract";
import type { Address } from "./address.ts";
import { changesBetween, textAt } from "./changes.ts";
import type { PlacedSkills, Reach, SkillFileChange, StagedSkills, StoredSkills } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Fetched, fetchSkills } from "./fetch.ts";
import { nextTime, type SkillLock } from "./lock-file.ts";
import { pluginsIn } from "./marketplace.ts";
import { makeStaging, place, treesIn } from "./staging.ts";
import { isIntact, type Sums, sealTree, skillFilesIn, sumsOf } from "./tree.ts";

/** The store that holds the current skills and takes the staged ones. */
interface StagingStore {
  /** `~/.scorel`. */
  readonly home: string;
  readonly archives: Archives;
  byId(id: string): PlacedSkills | undefined;
  /** Changes the lock file in one step; nothing changes if `change` throws. */
  change(change: (lock: SkillLock) => void): Promise<void>;
  /** Keeps a replaced tree for one more day. */
  retire(tree: string): void;
}

/** The most skills of a source, since every session reads them. */
const MOST_SKILLS = 500;

/** Fetches skills into a new folder for review. */
export async function stage(
  store: StagingStore,
  address: Address,
  reach: Reach,
  instead = address.id,
): Promise<StagedSkills> {
  let folder: string | undefined;
  try {
    folder = makeStaging(store.home);
    const fetched = await fetchSkills(address, folder, store.archives, reach);
    return new Staged(store, address, folder, { ...fetched, instead });
  } catch (thrown) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    if (thrown instanceof ScorelError || !(thrown instanceof Error && "syscall" in thrown)) throw thrown;
    throw errors.SKILLSTORE_DISK({ reason: thrown.message }, { cause: thrown });
  }
}

/** A free name for a configured root. */
export function freeName({ sources }: SkillLock, { id, label }: Address): string {
  const taken = new Set(Object.entries(sources).flatMap(([other, { name }]) => (other === id ? [] : [name])));
  for (let count = 1; ; count++) {
    const name = count === 1 ? label : `${label}-${count}`;
    if (!taken.has(name)) return name;
  }
}

function elsewhereIn(folder: string): StagedSkills["elsewhere"] {
  return pluginsIn(folder).flatMap(({ name, elsewhere: from }) => (from === undefined ? [] : [{ name, from }]));
}

class Staged implements StagedSkills {
  readonly from: string;
  readonly label: string;
  readonly folder: string;
  readonly sha256: string;
  readonly files: StagedSkills["files"];
  readonly before?: PlacedSkills;
  readonly changes: readonly SkillFileChange[];
  readonly isIntact: boolean;
  readonly elsewhere: StagedSkills["elsewhere"];
  private readonly store: StagingStore;
  private readonly address: Address;
  private readonly staging: string;
  private readonly entry: Omit<StoredSkills, "id" | "name" | "added" | "addedAt">;

  constructor(
    store: StagingStore,
    address: Address,
    staging: string,
    { sha256, mark, instead }: Fetched & { instead: string },
  ) {
    const { tree, files, sums } = sealTree(join(staging, "tree"));
    const skills = skillFilesIn(sums);
    this.elsewhere = elsewhereIn(join(staging, "tree", "files", address.label));
    if (skills.length === 0) throw errors.SKILLSTORE_NONE({ from: address.shown, elsewhere: this.elsewhere });
    if (skills.length > MOST_SKILLS) throw errors.SKILLSTORE_MANY({ from: address.shown, most: MOST_SKILLS });
    this.store = store;
    this.address = address;
    this.staging = staging;
    this.from = address.shown;
    this.label = address.label;
    this.folder = join(staging, "tree", "files");
    this.files = files;
    this.sha256 = sha256 ?? tree;
    const before = store.byId(instead);
    if (before) this.before = before;
    const old = before && join(treesIn(store.home), before.tree);
    this.isIntact = old === undefined || isIntact(old, before?.tree as string);
    this.changes = this.changesTo(before, sums);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    this.entry = {
      from: address.shown,
      isWhole: address.isWhole,
      sha256: this.sha256,
      tree,
      files: files.length,
      bytes,
      skills,
      ...(mark !== undefined && { mark }),
      fetchedAt: new Date().toISOString(),
    };
  }

  texts(): { path: string; text: string }[] {
    return this.files.flatMap(({ path }) => {
      const text = textAt(join(this.folder, path));
      return text === undefined ? [] : [{ path, text }];
    });
  }

  async install({ name, added }: { name: string; added: boolean }): Promise<PlacedSkills> {
    const { store, entry, before } = this;
    const { id } = this.address;
    const target = join(treesIn(store.home), entry.tree);
    if (existsSync(join(this.staging, "tree")))
      place(store.home, this.staging, entry.tree, () => isIntact(target, entry.tree));
    await store.change((lock) => {
      const { sources } = lock;
      const taken = before?.id ?? id;
      const now = Object.hasOwn(sources, taken) ? sources[taken] : undefined;
      // Two processes may fetch a root at the same time; the first one counts.
      if (now && !added && !before) return;
      if (now?.fetchedAt !== before?.fetchedAt) throw errors.SKILLSTORE_TAKEN({ name, from: this.from });
      const other = Object.entries(sources).find(([key, source]) => source.name === name && key !== taken)?.[1];
      if (other) throw errors.SKILLSTORE_TAKEN({ name, from: other.from });
      const same = taken !== id && Object.hasOwn(sources, id) ? sources[id] : undefined;
      if (same) throw errors.SKILLSTORE_TAKEN({ name: same.name, from: same.from });
      // A configured entry counts as added only from now on.
      const addedAt = now && now.added === added ? now.addedAt : nextTime(lock);
      delete sources[taken];
      sources[id] = { name, added, ...entry, addedAt };
    });
    store.retire(before?.tree ?? entry.tree);
    return store.byId(id) as PlacedSkills;
  }

  discard(): void {
    rmSync(this.staging, { recursive: true, force: true });
  }

  private changesTo(before: PlacedSkills | undefined, sums: Sums): SkillFileChange[] {
    if (!before) return [];
    const old = sumsOf(join(treesIn(this.store.home), before.tree), before.tree) ?? new Map<string, string>();
    return changesBetween({ folder: before.folder, sums: old }, { folder: this.folder, sums });
  }
}
