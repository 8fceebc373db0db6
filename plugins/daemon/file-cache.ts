import { createHash } from "node:crypto";
import { closeSync, lstatSync, readFileSync } from "node:fs";
import type { CacheStore } from "@scorel/host/client";
import { codeOf } from "@scorel/kernel";
import { openRegular } from "@scorel/kit/files/open";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf } from "@scorel/kit/files/private-folder";
import {
  inOwnFolder,
  inStateFolder,
  isOwnFolder,
  removeStateFile,
  type StateFolder,
} from "@scorel/kit/files/state-folder";

/** The most entries, and the most bytes of an entry. */
const MAX_ENTRIES = 64;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * A cache whose entries are files in a private folder, readable only by this user. Links are not followed, and files that others could have
 * written are not read. When there are too many entries, the oldest ones are removed.
 */
export function fileCache(folder: string): CacheStore {
  const fileOf = (key: string) => `${createHash("sha256").update(key).digest("hex")}.json`;
  return {
    read: async (key) =>
      isOwnFolder(folder) ? inStateFolder(folder, (opened) => readOwn(opened.at(fileOf(key)))) : undefined,
    write: async (key, text) => {
      if (Buffer.byteLength(text) > MAX_BYTES) return;
      inOwnFolder(folder, (opened) => {
        replaceFile(opened.at(fileOf(key)), text);
        forgetOldest(opened);
      });
    },
    remove: async (key) => removeStateFile(folder, fileOf(key)),
  };
}

function readOwn(path: string): string | undefined {
  try {
    const file = openRegular(path);
    if (!file) return undefined;
    try {
      const isOwn = flawOf(file.stat) === undefined && file.stat.size <= MAX_BYTES;
      return isOwn ? readFileSync(file.fd, "utf8") : undefined;
    } finally {
      closeSync(file.fd);
    }
  } catch (thrown) {
    if (["ENOENT", "ELOOP"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

function forgetOldest(folder: StateFolder): void {
  const names = folder.names().filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  if (names.length <= MAX_ENTRIES) return;
  const files = names.map((name) => ({ name, at: lstatSync(folder.at(name)).mtimeMs }));
  files.sort((a, b) => b.at - a.at);
  for (const { name } of files.slice(MAX_ENTRIES)) folder.remove(name);
}
