import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "@scorel/kernel";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { Archives } from "@scorel/packages/contract";
import { type Address, isSkillFile, kindOf } from "./address.ts";
import type { Reach } from "./contract.ts";
import { LARGEST } from "./download.ts";
import { errors } from "./errors.ts";
import { pluginsIn } from "./marketplace.ts";

/** The result of fetching into `<staging>/tree/files`. */
export interface Fetched {
  /** The hash of the received bytes; absent for a folder. */
  sha256?: string;
  /** Metadata of a local file. */
  mark?: string;
}

/** Fetches an address. Throws SKILLSTORE and ARCHIVE errors. */
export async function fetchSkills(
  address: Address,
  staging: string,
  archives: Archives,
  reach: Reach,
): Promise<Fetched> {
  const into = join(staging, "tree", "files", address.label);
  makeFolder(into);
  const file = join(staging, "fetched");
  if (address.url.protocol === "file:") {
    const path = fileURLToPath(address.url);
    if (statOf(path, address).isDirectory()) {
      // Copying a folder into itself would never end.
      if (holds(path, staging))
        throw errors.SKILLSTORE_ADDRESS({
          address: address.shown,
          reason: "Scorel stores installed skills in that folder; pass the folder with the skills themselves",
        });
      await archives.copy(path, into);
      return {};
    }
    const found = copyFile(path, file, address);
    await unpack(address, file, into, archives);
    return found;
  }
  const { download } = await import("./download.ts");
  const { sha256 } = await download(address.url, file, reach);
  await unpack(address, file, into, archives);
  if (address.repository) takeOf(into, staging, address);
  return { sha256 };
}

function holds(folder: string, path: string): boolean {
  const way = relative(fs.realpathSync(folder), fs.realpathSync(path));
  return way.split(sep)[0] !== "..";
}

/** Keeps only the requested part of a repository, without the archive's top folder, which is named after a commit. */
function takeOf(into: string, staging: string, { shown, repository }: Address): void {
  const [top, ...others] = fs.readdirSync(into, { withFileTypes: true });
  const root = top?.isDirectory() && others.length === 0 ? join(into, top.name) : into;
  const below = repository?.below;
  const folder = below === undefined ? root : folderOf(root, below);
  if (folder === undefined)
    throw errors.SKILLSTORE_ADDRESS({ address: shown, reason: "it has no such folder or plugin" });
  const aside = join(staging, "taken");
  fs.renameSync(folder, aside);
  fs.rmSync(into, { recursive: true, force: true });
  fs.renameSync(aside, into);
}

/** Finds a folder by its path, or a plugin by its name in the repository's marketplace. */
function folderOf(root: string, below: string): string | undefined {
  const isFolder = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder(join(root, below))) return join(root, below);
  const path = pluginsIn(root).find(({ name }) => name === below)?.path;
  return path !== undefined && isFolder(join(root, path)) ? join(root, path) : undefined;
}

/** Metadata that shows changes of a local file; undefined for anything else, and for what cannot be examined. */
export function markOf({ url }: Address): string | undefined {
  try {
    const stat = fs.statSync(fileURLToPath(url));
    return stat.isFile() ? markIn(stat) : undefined;
  } catch {
    return undefined;
  }
}

const markIn = ({ size, mtimeMs }: fs.Stats) => `${size} ${mtimeMs}`;

async function unpack(address: Address, file: string, into: string, archives: Archives): Promise<void> {
  const kind = kindOf(address) ?? kindByBytes(file);
  if (kind === undefined && !isSkillFile(address))
    throw errors.SKILLSTORE_ADDRESS({
      address: address.shown,
      reason: "it is neither an archive nor a SKILL.md",
    });
  if (kind !== undefined) await archives.unpack(file, into, { name: address.shown, kind });
  else fs.copyFileSync(file, join(into, "SKILL.md"), fs.constants.COPYFILE_EXCL);
  fs.rmSync(file);
}

function kindByBytes(file: string): "zip" | "tar.gz" | undefined {
  const start = Buffer.alloc(4);
  const fd = fs.openSync(file, "r");
  fs.readSync(fd, start);
  fs.closeSync(fd);
  const hex = start.toString("hex");
  if (["504b0304", "504b0506"].includes(hex)) return "zip";
  return hex.startsWith("1f8b") ? "tar.gz" : undefined;
}

function statOf(path: string, { shown }: Address): fs.Stats {
  try {
    return fs.statSync(path);
  } catch (thrown) {
    throw errors.SKILLSTORE_ADDRESS(
      { address: shown, reason: `it cannot be read (${codeOf(thrown)})` },
      { cause: thrown },
    );
  }
}

/** Copies through an open file, so that the file cannot be replaced meanwhile. Never blocks on a pipe. */
function copyFile(path: string, into: string, { shown }: Address): Fetched {
  const fail = (reason: string, cause?: unknown) => errors.SKILLSTORE_ADDRESS({ address: shown, reason }, { cause });
  const hash = createHash("sha256");
  const fd = open(path, fail);
  const to = fs.openSync(into, "wx", 0o600);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw fail("it is neither a file nor a folder");
    const piece = Buffer.allocUnsafe(1024 * 1024);
    let bytes = 0;
    for (let size = fs.readSync(fd, piece); size > 0; size = fs.readSync(fd, piece)) {
      bytes += size;
      if (bytes > LARGEST) throw errors.SKILLSTORE_LARGE({ megabytes: LARGEST / 1024 / 1024 });
      hash.update(piece.subarray(0, size));
      for (let done = 0; done < size; ) done += fs.writeSync(to, piece, done, size - done);
    }
    return { sha256: hash.digest("hex"), mark: markIn(stat) };
  } finally {
    fs.closeSync(to);
    fs.closeSync(fd);
  }
}

function open(path: string, fail: (reason: string, cause: unknown) => Error): number {
  try {
    return fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    throw fail(`it cannot be read (${codeOf(thrown)})`, thrown);
  }
}
