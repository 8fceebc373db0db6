import type { Stats } from "node:fs";

/** Why another user could have written into a folder, and the command that fixes it; undefined when no other user could. */
export function weaknessOf(path: string, stats: Stats): { reason: string; command: string } | undefined {
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  if (stats.isSymbolicLink()) return { reason: "is a link", command: `rm ${quoted} && mkdir -m 700 ${quoted}` };
  if (!stats.isDirectory()) return { reason: "is not a folder", command: `rm ${quoted} && mkdir -m 700 ${quoted}` };
  // Windows has no numeric owners and no mode bits.
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user && stats.uid !== 0)
    return { reason: "belongs to another user", command: `sudo chown -R "$(id -un)" ${quoted}` };
  if (stats.mode & 0o022) return { reason: "can be written by other users", command: `chmod go-w ${quoted}` };
  return undefined;
}
