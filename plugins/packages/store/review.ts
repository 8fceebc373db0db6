import { renameSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@scorel/kit/files/changes";
import { presetFile } from "@scorel/kit/files/home";
import type { Tree } from "@scorel/kit/files/tree";
import type { Candidate, LockEntry, PresetReview } from "../contract.ts";
import { errors } from "../errors.ts";
import { assertComplete } from "./completeness.ts";
import { presetItems } from "./items.ts";
import type { PresetKnowledge } from "./knowledge.ts";
import { entryOf } from "./lock.ts";
import { carryOut, readLock, reasonAgainst } from "./steps.ts";
import { changesTo, keepPreset, presetTree, sumsOf } from "./tree.ts";

interface Staged extends Candidate {
  /** Path of the staging folder. */
  folder: string;
  /** Path of the preset in it. */
  path: string;
}

const MEANWHILE = "another process has installed it meanwhile";

/** Reads a staged preset once and tells what it contains and could do. Accepting it installs the bytes that were read. */
export async function reviewPreset(known: PresetKnowledge, candidate: Staged): Promise<PresetReview> {
  const { path, name, packages } = candidate;
  const tree = presetTree(path);
  if (!tree.files.has(presetFile)) throw errors.PRESET_NONE({ path: candidate.source.spec });
  const lock = await readLock();
  const before = entryOf(lock, name);
  if (before && !candidate.isUpdate) throw errors.PRESET_TAKEN({ name, reason: MEANWHILE });
  assertComplete({ name, tree, lock, known });
  return {
    items: await presetItems(tree, { name, packages, known }),
    ...(before && { changes: changesTo(tree, before) }),
    texts: () =>
      [...tree.files].flatMap(([file, bytes]) => {
        const text = file.startsWith("node_modules/") ? undefined : textOf(bytes);
        return text === undefined ? [] : [{ path: file, text }];
      }),
    accept: () => install(tree, candidate, before, known),
  };
}

async function install(
  tree: Tree,
  ...[candidate, before, known]: [Staged, LockEntry | undefined, PresetKnowledge]
): Promise<void> {
  const { folder, path, name, source, packages } = candidate;
  const entry = { source, files: sumsOf(tree), packages, installedAt: new Date().toISOString() };
  // Installs the reviewed bytes, even if the staged files have changed since.
  keepPreset(tree);
  const place = join(folder, "package");
  if (path !== place) renameSync(path, place);
  await carryOut(folder, { name, entry }, (now) => {
    if (now?.installedAt !== before?.installedAt) return MEANWHILE;
    // Checked again, because the name may have been taken while a person was asked.
    return before ? undefined : reasonAgainst(name, known);
  });
}
