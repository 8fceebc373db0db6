import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { errors } from "./errors.ts";
import { DEEPEST, type Held, inHeld, openIn } from "./held.ts";

const MiB = 1024 * 1024;
const MOST_BYTES = 256 * MiB;
const MOST_ENTRIES = 20_000;

/** A file or folder to be read: regular files and folders only, since what links lead to was not asked for. */
export interface Source {
  /** A real folder that it may not be left. */
  root: string;
  /** Real, at or below `root`. */
  path: string;
  /** What it is called in errors. */
  from: string;
}

/** Copies it to a path where nothing is, and where no program can put anything. Throws RUN_INPUT and RUN_PATH. */
export function copyTree(source: Source, to: string): void {
  walk(source, {
    folder: (name) => fs.mkdirSync(join(to, name), { mode: 0o700 }),
    file(name, fd, stat) {
      fs.writeFileSync(join(to, name), "", { flag: "wx", mode: (stat.mode & 0o777) | 0o600 });
      copyBytes(fd, join(to, name));
    },
  });
}

/** Of a file its sha256; of a folder that of its files' names and bytes. Throws RUN_INPUT and RUN_PATH. */
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

/** In order of names; what is the source itself has the name "". */
function walk(source: Source, visitor: Visitor): void {
  const left = { bytes: MOST_BYTES, entries: MOST_ENTRIES };
  const fail = (reason: string) => errors.RUN_INPUT({ from: source.from, reason });
  const file = (held: Held, own: string, name: string) => {
    const opened = openIn(held, own);
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
  const folder = (held: Held, prefix: string, depth: number) => {
    if (depth > DEEPEST) throw fail(`its folders lie more than ${DEEPEST} deep`);
    for (const entry of held.entries()) {
      if (left.entries-- <= 0) throw fail(`it has more than ${MOST_ENTRIES} files`);
      const name = prefix + entry.name;
      if (entry.isFile()) file(held, entry.name, name);
      if (!entry.isDirectory()) continue;
      visitor.folder(name);
      const below = held.folder(entry.name);
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
    inHeld(source.root, source.path, "input", (held) => folder(held, "", 0));
  } else {
    const parent = source.path === source.root ? dirname(source.root) : source.root;
    const done = inHeld(parent, dirname(source.path), "input", (held) => file(held, basename(source.path), ""));
    if (!done) throw fail("it is neither a file nor a folder");
  }
}

function copyBytes(fd: number, to: string): void {
  const out = fs.openSync(to, "r+");
  try {
    for (const bytes of chunks(fd)) fs.writeSync(out, bytes);
  } finally {
    fs.closeSync(out);
  }
}

function* chunks(fd: number): Generator<Buffer> {
  const bytes = Buffer.alloc(MiB);
  for (let length = fs.readSync(fd, bytes); length > 0; length = fs.readSync(fd, bytes))
    yield bytes.subarray(0, length);
}
