import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { errors } from "../errors.ts";
import { type OpenFolder, openFolder, openIn } from "./open-folder.ts";

/** Reads many files of a folder, as `readWithin` does. */
export interface Reader extends Disposable {
  /** Reads a file inside `root`; both paths are real. Throws RUN_PATH. */
  read(root: string, path: string): Buffer;
}

/** Keeps the last file's folder open, since the next file is usually in the same one. */
export function createReader(): Reader {
  let open: { folder: string; dir: OpenFolder } | undefined;
  const close = () => {
    open?.dir.close();
    open = undefined;
  };
  const folderOf = (root: string, folder: string): OpenFolder => {
    if (open?.folder === folder) return open.dir;
    close();
    open = { folder, dir: openFolder(root, folder, "file") };
    return open.dir;
  };
  return {
    read(root, path) {
      const opened = openIn(folderOf(root, dirname(path)), basename(path));
      if (!opened)
        throw errors.RUN_PATH({ what: "file", path, reason: "it was replaced by something other than a file" });
      try {
        return bytesOf(opened.fd, opened.stat.size);
      } finally {
        fs.closeSync(opened.fd);
      }
    },
    [Symbol.dispose]: close,
  };
}

/** Reads the size that the file had when it was opened, even if it grows. */
function bytesOf(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let got = -1; got !== 0 && length < size; length += got)
    got = fs.readSync(fd, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}
