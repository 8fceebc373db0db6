import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A place with little room for files. */
export interface SmallDisk extends Disposable {
  directory: string;
  /** The command with which to run a program under this limit. */
  through: readonly string[];
  /** The system's error code when the room is used up. */
  reason: string;
  /** Uses up the remaining room. */
  fill?(): void;
  /** Frees the room again. */
  free?(): void;
}

const folder = () => mkdtempSync(join(tmpdir(), "scorel-disk-"));

/** Limits files to `kilobytes`: the write that reaches the limit is cut short, and the next one fails. */
export function limitedFiles(kilobytes: number): SmallDisk {
  const directory = folder();
  return {
    directory,
    through: ["bash", "-c", `ulimit -f ${kilobytes}; exec "$@"`, "limited"],
    reason: "EFBIG",
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/**
 * A separate file system in memory; undefined if this user cannot mount one. With `files`, it has room for that many files and folders,
 * including its own folder and the file that fills it.
 */
export function smallFileSystem(kilobytes: number, files?: number): SmallDisk | undefined {
  const directory = folder();
  const room = `size=${kilobytes}k${files === undefined ? "" : `,nr_inodes=${files}`}`;
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", room, "tmpfs", directory]);
  if (mounted.status !== 0) {
    rmSync(directory, { recursive: true, force: true });
    return undefined;
  }
  const filler = join(directory, "filler");
  return {
    directory,
    through: [],
    reason: "ENOSPC",
    fill: () => {
      const { bavail, bsize } = statfsSync(directory);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler),
    [Symbol.dispose]: () => {
      // Unmounted lazily, since a failing test may leave a file open.
      const unmounted = spawnSync("umount", ["-l", directory]);
      if (unmounted.status !== 0) throw new Error(`${directory} could not be unmounted: ${unmounted.stderr}`);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Mounts a file over another, as containers do; undefined if this user cannot mount one. */
export function mountedFile(file: string, over: string): Disposable | undefined {
  if (spawnSync("mount", ["--bind", file, over]).status !== 0) return undefined;
  return { [Symbol.dispose]: () => void spawnSync("umount", ["-l", over]) };
}

/** A folder on a read-only file system; undefined if this user cannot mount one. */
export function readOnlyView(directory: string): Disposable | undefined {
  mkdirSync(directory, { recursive: true });
  const bound = spawnSync("mount", ["--bind", directory, directory]);
  if (bound.status !== 0) return undefined;
  const unmount = () => void spawnSync("umount", ["-l", directory]);
  if (spawnSync("mount", ["-o", "remount,ro,bind", directory]).status === 0) return { [Symbol.dispose]: unmount };
  unmount();
  return undefined;
}
