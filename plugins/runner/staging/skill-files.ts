import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { BlobStore } from "@scorel/blobs/contract";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { Skill } from "@scorel/skills/contract";
import { z } from "zod";
import type { Staged } from "./staging.ts";

/**
 * The most bytes of a skill that is stored. For a larger skill, only its digest is kept, which shows whether it has
 * changed.
 */
const MOST_BYTES = 32 * 1024 * 1024;

const skillFiles = z.object({
  files: z.array(
    z.object({
      path: z.string().regex(/^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0]+$/s),
      mode: z.number().int(),
      sha256: z.string(),
    }),
  ),
});

/**
 * Stores the files of a staged skill, and returns the hash of their list; undefined for a skill that is too large. Throws
 * BLOB_WRITE.
 */
export function storeSkill({ folder, files }: Staged, store: BlobStore): string | undefined {
  const bytes = files.reduce((sum, { path }) => sum + fs.statSync(join(folder, path)).size, 0);
  if (bytes > MOST_BYTES) return undefined;
  const kept = files.map(({ path, mode }) => ({
    path,
    mode: mode & 0o777,
    sha256: store.put(fs.readFileSync(join(folder, path))),
  }));
  return store.putList({ files: kept });
}

/** Writes a stored skill into a new folder; undefined if some of its files are missing. */
export function restoreSkill(
  name: string,
  list: string | undefined,
  folder: string,
  store: BlobStore,
): Skill | undefined {
  const found = skillFiles.safeParse(list === undefined ? undefined : store.readList(list)).data;
  if (!found?.files.every(({ sha256 }) => store.has(sha256))) return undefined;
  for (const { path, mode, sha256 } of found.files) {
    const to = join(folder, path);
    makeFolder(dirname(to), 0o777);
    fs.writeFileSync(to, store.read(sha256) as Buffer, { flag: "wx", mode: 0o600 });
    fs.chmodSync(to, (mode & 0o777) | 0o400);
  }
  const [files, file] = [fs.realpathSync(folder), join(folder, "SKILL.md")];
  return { name, description: "", source: "user", folder, files, file, root: files, digest: "", warnings: [] };
}
