import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Candidate, LockEntry, PresetReview } from "@scorel/packages/contract";
import type { Asked } from "../composition/asked.ts";
import { errors } from "../errors.ts";
import { textOf } from "../trust/changes.ts";
import type { Tree } from "../trust/tree.ts";
import { changesTo, keepPreset, presetTree, sumsOf } from "./check.ts";
import { assertComplete } from "./extended.ts";
import { presetItems } from "./items.ts";
import { entryOf, readLock } from "./lock.ts";
import { carryOut, reasonAgainst } from "./store.ts";

interface Staged extends Candidate {
  /** Of the staging. */
  folder: string;
  /** Of the preset in it. */
  path: string;
}

const MEANWHILE = "another process has installed it meanwhile";

/** What a staged preset holds and could do; it is read here once, and accepting it installs what was read. */
export async function reviewPreset(asked: Asked, candidate: Staged): Promise<PresetReview> {
  const { path, name, packages } = candidate;
  const tree = presetTree(path);
  if (!tree.files.has("preset.toml")) throw errors.PRESET_NONE({ path: candidate.source.spec });
  const lock = await readLock();
  const before = entryOf(lock, name);
  if (before && !candidate.isUpdate) throw errors.PRESET_TAKEN({ name, reason: MEANWHILE });
  assertComplete({ name, tree, lock, cwd: asked.cwd });
  return {
    items: await presetItems(tree, { name, packages, asked }),
    ...(before && { changes: changesTo(tree, before) }),
    texts: () =>
      [...tree.files].flatMap(([file, bytes]) => {
        const text = file.startsWith("node_modules/") ? undefined : textOf(bytes);
        return text === undefined ? [] : [{ path: file, text }];
      }),
    accept: () => install(tree, candidate, before),
  };
}

async function install(tree: Tree, { folder, path, name, source, packages }: Staged, before: LockEntry | undefined) {
  const entry = { source, files: sumsOf(tree), packages, installedAt: new Date().toISOString() };
  // The bytes that were looked at, whatever has become of the staged files since.
  keepPreset(tree);
  const place = join(folder, "package");
  if (path !== place) renameSync(path, place);
  await carryOut(folder, { name, entry }, (now) => {
    if (now?.installedAt !== before?.installedAt) return MEANWHILE;
    // Looked at again, since it may have been taken while a person was asked.
    return before ? undefined : reasonAgainst(name);
  });
}
