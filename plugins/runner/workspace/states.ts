import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { BlobStore } from "@scorel/blobs/contract";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { openBelow } from "./open-folder.ts";
import { namesBelow } from "./outputs.ts";

const MiB = 1024 * 1024;
const MOST_HASHED = 1024 * MiB;
const MOST_KEPT = 16 * MiB;
const MOST_FILES = 1_000;

/** A file of a workspace at one moment. */
export interface FileState {
  name: string;
  size: number;
  mode: number;
  /** Absent when a limit was reached. */
  sha256?: string | undefined;
}

export interface States {
  files: FileState[];
  /** The least number of further files, which were not examined. */
  more: number;
}

/**
 * The states of matching files, sorted by name: up to 1000 files, with hashes for the first GiB. With a store, the first 16 MiB
 * are stored. Files that match `first` come first.
 */
export function statesOf(
  root: string,
  matches: (name: string) => boolean,
  { store, first }: { store?: BlobStore; first?: (name: string) => boolean } = {},
): States {
  const left = { hashed: MOST_HASHED, kept: store ? MOST_KEPT : 0 };
  const { names: all, cut } = namesBelow(root, matches);
  const names = first ? [...all.filter(first), ...all.filter((name) => !first(name))] : all;
  const files = names.slice(0, MOST_FILES).flatMap((name) => stateOf(root, name, left, store) ?? []);
  return { files, more: Math.max(0, names.length - MOST_FILES) + (cut ? 1 : 0) };
}

function stateOf(root: string, name: string, left: { hashed: number; kept: number }, store: BlobStore | undefined) {
  const opened = openBelow(root, name);
  if (opened === undefined) return undefined;
  const { fd, stat } = opened;
  try {
    const { size, mode } = stat;
    const state: FileState = { name, size, mode: mode & 0o777 };
    left.hashed -= size;
    if (left.hashed < 0) return state;
    if (size > left.kept) return { ...state, sha256: hashOf(fd) };
    left.kept -= size;
    return { ...state, sha256: store?.put(fs.readFileSync(fd)) ?? hashOf(fd) };
  } finally {
    fs.closeSync(fd);
  }
}

function hashOf(fd: number): string {
  const hash = createHash("sha256");
  const bytes = Buffer.alloc(MiB);
  for (let length = fs.readSync(fd, bytes); length > 0; length = fs.readSync(fd, bytes))
    hash.update(bytes.subarray(0, length));
  return hash.digest("hex");
}

/** Restores stored files, and returns those whose contents are missing. */
export function restore(root: string, files: readonly FileState[], store: BlobStore): FileState[] {
  return files.filter(({ name, mode, sha256 }) => {
    const bytes = sha256 === undefined ? undefined : store.read(sha256);
    if (!bytes) return true;
    const path = join(root, name);
    makeFolder(dirname(path), 0o777);
    fs.writeFileSync(path, bytes, { flag: "wx" });
    fs.chmodSync(path, mode);
    return false;
  });
}
