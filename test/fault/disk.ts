import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A place with little room. */
export interface SmallDisk extends Disposable {
  directory: string;
  /** Run a command through this: it gets no more room than there is. */
  through: readonly string[];
  /** What the system answers when the room is used up. */
  reason: string;
  /** Takes all room that is left. */
  fill?(): void;
  /** Gives it back. */
  free?(): void;
}

const folder = () => mkdtempSync(join(tmpdir(), "scorel-disk-"));

/** No file may grow over `kilobytes`: the write that reaches it is cut short, the next one fails. */
export function limitedFiles(kilobytes: number): SmallDisk {
  const directory = folder();
  return {
    directory,
    through: ["bash", "-c", `ulimit -f ${kilobytes}; exec "$@"`, "limited"],
    reason: "EFBIG",
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A file system of its own in memory; undefined where this user may not mount one. */
export function smallFileSystem(kilobytes: number): SmallDisk | undefined {
  const directory = folder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", directory]);
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
      // Lazily: a failing test may leave a file in it open.
      const unmounted = spawnSync("umount", ["-l", directory]);
      if (unmounted.status !== 0) throw new Error(`${directory} could not be unmounted: ${unmounted.stderr}`);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A folder on a file system that is mounted for reading only; undefined where this user may not mount. */
export function readOnlyView(directory: string): Disposable | undefined {
  mkdirSync(directory, { recursive: true });
  const bound = spawnSync("mount", ["--bind", directory, directory]);
  if (bound.status !== 0) return undefined;
  const unmount = () => void spawnSync("umount", ["-l", directory]);
  if (spawnSync("mount", ["-o", "remount,ro,bind", directory]).status === 0) return { [Symbol.dispose]: unmount };
  unmount();
  return undefined;
}
