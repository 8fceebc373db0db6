import { rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { ripgrepFault, runRipgrep } from "@scorel/kit/process/ripgrep";
import type { FileInfo, FileSearch } from "@scorel/local/contract";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { namesIn } from "./ripgrep.ts";

const MAX_ENTRIES = 50_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The largest file whose contents are searched, in bytes; larger files are rarely text. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 16;

const IGNORE_FILES = [".gitignore", ".ignore", ".rgignore"];
/** Name of a file that is put into each copied folder to find out whether ripgrep ignores the folder. */
const PROBE = "scorel-folder-probe";

type RunOptions = Parameters<FileSearch["run"]>[1];
type Around = Pick<Environment, "files">;

/**
 * Searches files of an executor that has no ripgrep. What ripgrep needs of them is copied into a private folder and
 * ripgrep runs there, so that patterns, globs and ignore files work the same everywhere. Ignored folders are not
 * copied, and contents only where they are searched.
 */
export async function searchCopy(
  path: string,
  info: FileInfo,
  env: Around,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<FileSearch> {
  const copy = new Copy(info.kind === "file" ? dirname(path) : path, env, signal);
  try {
    if (info.kind === "file") await copy.addContents(basename(path));
    else await copy.addIgnoresAbove();
  } catch (thrown) {
    copy.remove();
    throw thrown;
  }
  return {
    ...info,
    target: info.kind === "folder" ? "./" : `./${basename(path)}`,
    run: (args, options) => (info.kind === "folder" ? copy.searchFolder(args, options) : copy.ripgrep(args, options)),
    [Symbol.asyncDispose]: async () => copy.remove(),
  };
}

class Copy {
  private readonly base = makeTemporaryFolder("scorel-search-");
  /** The executor's folder; `here` is its copy. */
  private readonly folder: string;
  private readonly here: string;
  private readonly files: Environment["files"];
  private readonly signal: AbortSignal | undefined;
  private readonly listed = new Map<boolean, Promise<void>>();
  private readonly copied = new Set<string>();
  private entries = 0;
  private bytes = 0;

  constructor(folder: string, { files }: Around, signal: AbortSignal | undefined) {
    this.files = files;
    this.signal = signal;
    this.folder = folder;
    this.here = this.copyOf(folder);
    makeFolder(this.here);
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  ripgrep(args: readonly string[], options: RunOptions) {
    // Without HOME, the ignore files of this computer's user do not apply.
    return runRipgrep(args, { cwd: this.here, env: {}, ...options });
  }

  async searchFolder(args: readonly string[], options: RunOptions) {
    const hidden = args.includes("--hidden");
    await this.list(hidden);
    if (!args.includes("--files") && args.at(-1) === "./") await this.copyContents(args);
    return this.ripgrep(args, options);
  }

  /** Copies the ignore files of the folders above, since they apply as well. */
  async addIgnoresAbove(): Promise<void> {
    for (let at = this.folder; at !== dirname(at); at = dirname(at)) {
      const above = dirname(at);
      for (const name of IGNORE_FILES) {
        const info = await this.files.stat(join(above, name), { signal: this.signal });
        if (info?.kind === "file") await this.copyFile(join(above, name));
      }
    }
  }

  async addContents(name: string): Promise<void> {
    if (this.copied.has(name)) return;
    this.copied.add(name);
    await this.copyFile(join(this.folder, name));
  }

  /** The path in the copy for a path of the executor; always inside the copy. */
  private copyOf(path: string): string {
    return join(this.base, resolve("/", path));
  }

  private async copyFile(path: string): Promise<void> {
    const { bytes } = await this.files.read(path, { signal: this.signal, maxBytes: MAX_FILE_BYTES });
    this.bytes += bytes.length;
    if (this.bytes > MAX_BYTES) throw errors.SEARCH_COPY({ reason: `they hold over ${MAX_BYTES} bytes` });
    writeFileSync(this.copyOf(path), bytes);
  }

  /** Copies the names of all files that are not ignored. */
  private list(hidden: boolean): Promise<void> {
    const known = this.listed.get(hidden) ?? this.listAll(hidden);
    this.listed.set(hidden, known);
    return known;
  }

  private async listAll(hidden: boolean): Promise<void> {
    for (let level = [""]; level.length > 0; ) {
      const found = await mapped(level, (folder) => this.addFolder(folder, hidden));
      level = await this.withoutIgnored(found.flat());
    }
  }

  /** Adds the entries of one folder, and returns its subfolders. */
  private async addFolder(folder: string, hidden: boolean): Promise<string[]> {
    const entries = await this.files.list(join(this.folder, folder), { signal: this.signal });
    this.entries += entries.length;
    if (this.entries > MAX_ENTRIES) throw errors.SEARCH_COPY({ reason: `there are over ${MAX_ENTRIES}` });
    const folders: string[] = [];
    for (const { name, kind } of entries) {
      if (/[/\0]/.test(name) || name === "." || name === "..") continue; // No real file has such a name.
      const path = join(folder, name);
      if (kind === "file" && IGNORE_FILES.includes(name)) await this.addContents(path);
      if (name === ".git" || (!hidden && name.startsWith("."))) continue;
      if (kind === "folder") folders.push(path);
      if (kind === "file" && !this.copied.has(path)) writeFileSync(join(this.here, path), "");
    }
    return folders;
  }

  private async withoutIgnored(folders: readonly string[]): Promise<string[]> {
    if (folders.length === 0) return [];
    for (const folder of folders) {
      makeFolder(join(this.here, folder));
      writeFileSync(join(this.here, folder, PROBE), "");
    }
    // A matching glob overrides ignore files for the probe itself, but not for its folder.
    const all = await this.names(["--hidden", `--glob=${PROBE}`]);
    for (const folder of folders) rmSync(join(this.here, folder, PROBE));
    const open = new Set(all);
    return folders.filter((folder) => open.has(join(folder, PROBE)));
  }

  /** Copies the contents of the files that a search with these arguments reads. */
  private async copyContents(args: readonly string[]): Promise<void> {
    const choosing = args.filter((arg) => arg === "--hidden" || arg.startsWith("--glob="));
    await mapped(await this.names(choosing), async (name) => {
      const { size = 0 } = (await this.files.stat(join(this.folder, name), { signal: this.signal })) ?? {};
      if (size > 0 && size <= MAX_FILE_BYTES) await this.addContents(name);
    });
  }

  private async names(choosing: readonly string[]): Promise<string[]> {
    const chunks: Uint8Array[] = [];
    const onOutput = (chunk: Uint8Array) => void chunks.push(chunk);
    const args = ["--no-config", "--no-require-git", "--no-messages", "--files", "--null", ...choosing, "--", "./"];
    const fault = ripgrepFault(await this.ripgrep(args, { onOutput, signal: this.signal }));
    if (fault !== undefined) throw new Error(fault);
    return namesIn(Buffer.concat(chunks));
  }
}

/** Calls `work` for each item, AT_ONCE at a time, and returns the results in order. */
async function mapped<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return results;
}
