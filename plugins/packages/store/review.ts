import { renameSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@scorel/kit/files/changes";
import type { Tree } from "@scorel/kit/files/tree";
import type { Candidate, LockEntry, PackageReview } from "../contract.ts";
import { errors } from "../errors.ts";
import { engineFlaw, rangeFlaw } from "./engine.ts";
import { entryOf } from "./lock.ts";
import type { PackageRules } from "./rules.ts";
import { carryOut, readLock } from "./steps.ts";
import { reasonAgainst } from "./taken.ts";
import { changesTo, keepPackage, packageTree, sumsOf } from "./tree.ts";

interface Staged extends Candidate {
  /** Path of the staging folder. */
  folder: string;
  /** Path of the package in it. */
  path: string;
}

const MEANWHILE = "another process has installed, updated or removed it meanwhile";

/**
 * Reads a staged package once and describes what it contains and could do. Accepting it installs the bytes that were
 * read.
 */
export async function reviewPackage(rules: PackageRules, candidate: Staged): Promise<PackageReview> {
  const { kind } = rules;
  const { path, name, packages, source } = candidate;
  const tree = packageTree(kind, path);
  const lock = await readLock(kind);
  const before = entryOf(lock, name);
  if (before?.installedAt !== candidate.replaces) throw kind.errors.taken({ name, reason: MEANWHILE });
  const staged = { tree, name, spec: source.spec, lock, packages };
  await rules.check(staged);
  const manifest = tree.files.get("package.json")?.toString("utf8");
  const reason = rangeFlaw(manifest) ?? engineFlaw(manifest, rules.version);
  if (reason !== undefined) throw errors.PACKAGES_ENGINE({ name, reason });
  return {
    items: await rules.items(staged),
    doubts: await rules.doubts(staged),
    ...(before && { changes: changesTo(kind, tree, before) }),
    texts: () =>
      [...tree.files].flatMap(([file, bytes]) => {
        const text = file.startsWith("node_modules/") ? undefined : textOf(bytes);
        return text === undefined ? [] : [{ path: file, text }];
      }),
    accept: () => install(rules, tree, candidate, before),
  };
}

async function install(
  rules: PackageRules,
  tree: Tree,
  candidate: Staged,
  before: LockEntry | undefined,
): Promise<void> {
  const { folder, path, name, source, packages } = candidate;
  const entry = { source, files: sumsOf(tree), packages, installedAt: new Date().toISOString() };
  // Installs the reviewed bytes, even if the staged files have changed since.
  keepPackage(rules.kind, tree);
  const place = join(folder, "package");
  if (path !== place) renameSync(path, place);
  await carryOut(rules.kind, folder, { name, entry }, (now) => {
    if (JSON.stringify(now) !== JSON.stringify(before)) return MEANWHILE;
    // Checked again, because the name may have been taken while a person was asked.
    return before ? undefined : reasonAgainst(name, rules);
  });
}
