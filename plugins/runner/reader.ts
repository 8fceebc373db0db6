import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { errors } from "./errors.ts";
import { type Held, holdFolder, openIn } from "./held.ts";

/** Reads many files of a folder, as `readWithin` does. */
export interface Reader extends Disposable {
  /** The bytes of a file that truly lies in `root`; both paths are real. Throws RUN_PATH. */
  read(root: string, path: string): Buffer;
}

/** The folder of the last file stays open, since the next one mostly lies beside it. */
export function createReader(): Reader {
  let open: { folder: string; held: Held } | undefined;
  const close = () => {
    open?.held.close();
    open = undefined;
  };
  const folderOf = (root: string, folder: string): Held => {
    if (open?.folder === folder) return open.held;
    close();
    open = { folder, held: holdFolder(root, folder, "file") };
    return open.held;
  };
  return {
    read(root, path) {
      const opened = openIn(folderOf(root, dirname(path)), basename(path));
      if (!opened) throw errors.RUN_PATH({ what: "file", path, reason: "it was exchanged for what is no file" });
      try {
        return bytesOf(opened.fd, opened.stat.size);
      } finally {
        fs.closeSync(opened.fd);
      }
    },
    [Symbol.dispose]: close,
  };
}

/** Of a file that grows meanwhile, what it had when it was opened. */
function bytesOf(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let got = -1; got !== 0 && length < size; length += got)
    got = fs.readSync(fd, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}
