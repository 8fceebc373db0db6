import { lstatSync, mkdirSync, type Stats } from "node:fs";
import { errors } from "./errors.ts";

/** Throws EXTENSION_FOLDER when others than this user could have put code into a folder; a missing folder is fine. */
export function assertPrivate(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const weakness = stats && weaknessOf(path, stats);
  if (weakness) throw errors.EXTENSION_FOLDER({ path, ...weakness });
}

/** Makes a folder that only this user can enter, with its parents, or checks the one that exists. */
export function makePrivate(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    assertPrivate(path);
  }
}

function weaknessOf(path: string, stats: Stats): { reason: string; command: string } | undefined {
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  if (stats.isSymbolicLink()) return { reason: "is a link", command: `rm ${quoted} && mkdir -m 700 ${quoted}` };
  if (!stats.isDirectory()) return { reason: "is not a folder", command: `rm ${quoted} && mkdir -m 700 ${quoted}` };
  // Windows has neither owners by number nor mode bits.
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user && stats.uid !== 0)
    return { reason: "belongs to another user", command: `sudo chown -R "$(id -un)" ${quoted}` };
  if (stats.mode & 0o022) return { reason: "can be written by other users", command: `chmod go-w ${quoted}` };
  return undefined;
}
