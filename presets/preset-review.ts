import { existsSync, lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { LockEntry, PresetReview } from "@scorel/packages/contract";
import type { Asked } from "./composition.ts";
import { errors } from "./errors.ts";
import { changesTo, keepPreset, presetTree, sumsOf } from "./preset-check.ts";
import { presetItems } from "./preset-items.ts";
import { entryOf, readLock } from "./preset-lock.ts";
import { carryOut, folderOf, reasonAgainst } from "./preset-store.ts";
import { textOf } from "./trust-changes.ts";
import type { Tree } from "./trust-tree.ts";

interface Candidate extends Pick<LockEntry, "source" | "packages"> {
  name: string;
  /** Of the staging. */
  folder: string;
  /** Of the preset in it. */
  path: string;
}

/** What a staged preset holds and could do; it is read here once, and accepting it installs what was read. */
export async function reviewPreset(asked: Asked, candidate: Candidate): Promise<PresetReview> {
  const { path, name, packages } = candidate;
  const tree = presetTree(path);
  if (!tree.files.has("preset.toml")) throw errors.PRESET_NONE({ path: candidate.source.spec });
  const before = entryOf(await readLock(), name);
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

async function install(tree: Tree, { folder, path, name, source, packages }: Candidate, before: LockEntry | undefined) {
  const entry = { source, files: sumsOf(tree), packages, installedAt: new Date().toISOString() };
  // The bytes that were looked at, whatever has become of the staged files since.
  keepPreset(tree);
  const place = join(folder, "package");
  if (path !== place) renameSync(path, place);
  await carryOut(folder, { name, entry }, (now) =>
    now?.installedAt === before?.installedAt ? (before ? undefined : taken(name)) : "another process has installed it",
  );
}

/** Looked at again, since it may have been taken while a person was asked. */
function taken(name: string): string | undefined {
  return reasonAgainst(name) ?? (existsSync(folderOf(name)) && lstatSync(folderOf(name)) ? "it is there" : undefined);
}
