import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import type { Skill } from "../contract.ts";
import { errors } from "../errors.ts";

export type Sums = ReadonlyMap<string, string>;

/** The expected hashes of an installed skill's files, by relative path. Throws SKILL_CHANGED. */
export function sumsOf({ name, files, root, archive }: Skill): Sums | undefined {
  if (!archive) return undefined;
  const path = join(dirname(root), "sums.json");
  const text = textOf(path);
  if (text === undefined || sha256Of(text) !== archive.tree)
    throw errors.SKILL_CHANGED({ name, path, archive: archive.name });
  const prefix = `${relative(root, files).split("\\").join("/")}/`;
  const rows = Object.entries(JSON.parse(text) as Record<string, string>);
  return new Map(rows.flatMap(([file, sum]) => (file.startsWith(prefix) ? [[file.slice(prefix.length), sum]] : [])));
}

/** Throws SKILL_CHANGED when a file differs from its archive. */
export function assertSealed({ name, archive }: Skill, sums: Sums | undefined, path: string, digest: string): void {
  if (archive && sums?.get(path) !== digest) throw errors.SKILL_CHANGED({ name, path, archive: archive.name });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}
