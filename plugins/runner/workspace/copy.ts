import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { errors } from "../errors.ts";
import { DEEPEST, inOpenFolder, type OpenFolder, openIn } from "./open-folder.ts";

const MiB = 1024 * 1024;
const MOST_BYTES = 256 * MiB;
const MOST_ENTRIES = 20_000;

/** A file or folder to read. Only regular files and folders are read, since link targets were not requested. */
export interface Source {
  /** The real path of a folder; nothing outside of it may be read. */
  root: string;
  /** A real path, at or below `root`. */
  path: string;
  /** The source as the caller wrote it, for errors. */
  from: string;
}

/** Copies a source to a path that does not exist yet and that no program can write to. Throws RUN_INPUT and RUN_PATH. */
export function copyTree(source: Source, to: string): void {
  walk(source, {
    folder: (name) => fs.mkdirSync(join(to, name), { mode: 0o700 }),
    file(name, fd, stat) {
      fs.writeFileSync(join(to, name), "", { flag: "wx", mode: (stat.mode & 0o777) | 0o600 });
      copyBytes(fd, join(to, name));
    },
  });
}

/** The sha256 of a file, or of a folder's file names and contents. Throws RUN_INPUT and RUN_PATH. */
export function hashTree(source: Source): string {
  const hash = createHash("sha256");
  walk(source, {
    folder: () => {},
    file(name, fd) {
      if (name !== "") hash.update(`${name}\0`);
      for (const bytes of chunks(fd)) hash.update(bytes);
    },
  });
  return hash.digest("hex");
}

interface Visitor {
  folder(name: string): void;
  file(name: string, fd: number, stat: fs.Stats): void;
}

/** Visits files and folders in order of names. The source itself has the name "". */
function walk(source: Source, visitor: Visitor): void {
  const left = { bytes: MOST_BYTES, entries: MOST_ENTRIES };
  const fail = (reason: string) => errors.RUN_INPUT({ from: source.from, reason });
  const file = (dir: OpenFolder, own: string, name: string) => {
    const opened = openIn(dir, own);
    if (!opened) return false;
    try {
      left.bytes -= opened.stat.size;
      if (left.bytes < 0) throw fail(`it is larger than ${MOST_BYTES} bytes`);
      visitor.file(name, opened.fd, opened.stat);
    } finally {
      fs.closeSync(opened.fd);
    }
    return true;
  };
  const folder = (dir: OpenFolder, prefix: string, depth: number) => {
    if (depth > DEEPEST) throw fail(`its folders are nested more than ${DEEPEST} levels deep`);
    for (const entry of dir.entries()) {
      if (left.entries-- <= 0) throw fail(`it has more than ${MOST_ENTRIES} files`);
      const name = prefix + entry.name;
      if (entry.isFile()) file(dir, entry.name, name);
      if (!entry.isDirectory()) continue;
      visitor.folder(name);
      const below = dir.folder(entry.name);
      try {
        folder(below, `${name}/`, depth + 1);
      } finally {
        below.close();
      }
    }
  };
  const isFolder = fs.lstatSync(source.path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) {
    visitor.folder("");
    inOpenFolder(source.root, source.path, "input", (dir) => folder(dir, "", 0));
  } else {
    const parent = source.path === source.root ? dirname(source.root) : source.root;
    const done = inOpenFolder(parent, dirname(source.path), "input", (dir) => file(dir, basename(source.path), ""));
    if (!done) throw fail("it is neither a file nor a folder");
  }
}

function copyBytes(fd: number, to: string): void {
  const out = fs.openSync(to, "r+");
  try {
    // A disk that is nearly full takes only a part of a write, and fails at the next one.
    for (const bytes of chunks(fd)) for (let done = 0; done < bytes.length; ) done += fs.writeSync(out, bytes, done);
  } finally {
    fs.closeSync(out);
  }
}

function* chunks(fd: number): Generator<Buffer> {
  const bytes = Buffer.alloc(MiB);
  for (let length = fs.readSync(fd, bytes); length > 0; length = fs.readSync(fd, bytes))
    yield bytes.subarray(0, length);
}
