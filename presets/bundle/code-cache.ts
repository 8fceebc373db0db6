import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { weaknessOf } from "@scorel/kit/files/weakness";

/** Files smaller than this, in bytes, are not cached, because V8 compiles them fast enough. */
const worthwhile = 16 * 1024;
/** Milliseconds after which a cache file that was not rewritten is deleted; it belongs to a version no longer in use. */
const outdated = 30 * 24 * 60 * 60 * 1000;

/** Compiles files of the built command and keeps V8's code cache of them for the next process. */
export interface CodeCache {
  /** Evaluates a file that holds one expression in ASCII, and returns its value. */
  evaluate(file: string): unknown;
  /** Records that a part of the file is used. If the cached code does not include it, `keep` writes the cache again, with this part. */
  use(file: string, part: string): void;
  /** Writes the cache files that changed. Called once, when the process ends. */
  keep(): void;
}

/** The first line of a cache file: checksums of the source and of the compiled code, and the parts that were in use. */
interface Label {
  source: number;
  code: number;
  parts: string[];
}

interface Unit {
  script: Script;
  source: number;
  cacheFile: string;
  /** The parts that were in use when the code was cached; undefined without a usable cache file. */
  known: readonly string[] | undefined;
  used: Set<string>;
}

/**
 * The cache in `~/.scorel/cache/code`. When it is missing, damaged, made by another version of Node, in a folder that
 * others can write to, or on a full disk, files are compiled as without it. It is written only if `~/.scorel/sessions`
 * exists, so that a command that stores nothing leaves no files behind.
 */
export function createCodeCache(): CodeCache {
  const folder = privateFolder();
  const units = new Map<string, Unit>();
  const bytesOf = createReader();
  return {
    evaluate(file) {
      const bytes = bytesOf(file);
      const text = bytes.toString("latin1");
      if (folder === undefined || bytes.length < worthwhile)
        return new Script(text, { filename: file }).runInThisContext();
      const source = crc32(bytes);
      const cacheFile = join(folder, nameFor(file));
      const found = read(cacheFile, source, bytesOf);
      const script = new Script(text, { filename: file, cachedData: found?.code });
      const known = script.cachedDataRejected === false ? found?.parts : undefined;
      units.set(file, { script, source, cacheFile, known, used: new Set() });
      return script.runInThisContext();
    },
    use: (file, part) => void units.get(file)?.used.add(part),
    keep() {
      for (const unit of units.values()) if (isOutOfDate(unit)) write(unit);
    },
  };
}

function isOutOfDate({ known, used }: Unit): boolean {
  return known === undefined || [...used].some((part) => !known.includes(part));
}

/** The cache folder, or undefined when others could write to it or it cannot be examined. */
function privateFolder(): string | undefined {
  try {
    const own = join(homedir(), ".scorel");
    const folders = [own, join(own, "cache"), join(own, "cache", "code")];
    return isAbsolute(own) && folders.every(isPrivate) ? folders.at(-1) : undefined;
  } catch {
    // The home directory is missing or unreadable: the command itself reports that if it needs one.
    return undefined;
  }
}

function isPrivate(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || weaknessOf(path, stats) === undefined;
}

/** One cache file per source file, installation and Node options, as V8 rejects code compiled with other options. */
function nameFor(file: string): string {
  const { version, arch, execArgv, env } = process;
  const place = JSON.stringify([dirname(file), version, arch, execArgv, env.NODE_OPTIONS ?? ""]);
  return `${basename(file, ".js")}-${crc32(place).toString(16)}.bin`;
}

/**
 * Returns a function that reads files into the same memory, so that the bytes of a file are only valid until the next one is read. Memory
 * that a process has not used before costs more than reading the file does.
 */
function createReader(): (file: string) => Buffer {
  let memory = Buffer.alloc(0);
  return (file) => {
    const descriptor = openSync(file, "r");
    try {
      const { size } = fstatSync(descriptor);
      if (memory.length < size) memory = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(size)));
      let end = 0;
      for (let count = -1; count !== 0 && end < size; end += count)
        count = readSync(descriptor, memory, end, size - end, null);
      return memory.subarray(0, end);
    } finally {
      closeSync(descriptor);
    }
  };
}

function read(
  cacheFile: string,
  source: number,
  bytesOf: (file: string) => Buffer,
): { code: Buffer; parts: string[] } | undefined {
  try {
    const bytes = bytesOf(cacheFile);
    const end = bytes.indexOf("\n");
    const label = JSON.parse(bytes.toString("utf8", 0, end)) as Label;
    const code = bytes.subarray(end + 1);
    return label.source === source && label.code === crc32(code) ? { code, parts: label.parts } : undefined;
  } catch {
    // The cache file is missing or damaged, so the file is compiled without it.
    return undefined;
  }
}

/** Written under a temporary name and renamed, so that other processes never read an unfinished file. */
function write({ script, source, cacheFile, known = [], used }: Unit): void {
  const folder = dirname(cacheFile);
  const unfinished = `${cacheFile}.${process.pid}`;
  if (!existsSync(join(folder, "../../sessions"))) return;
  try {
    const code = script.createCachedData();
    const label: Label = { source, code: crc32(code), parts: [...new Set([...known, ...used])] };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(unfinished, Buffer.concat([Buffer.from(`${JSON.stringify(label)}\n`), code]), { mode: 0o600 });
    renameSync(unfinished, cacheFile);
    prune(folder);
  } catch {
    // The disk is full or read-only: the next command compiles again.
    if (existsSync(unfinished)) rmSync(unfinished);
  }
}

function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > outdated) rmSync(file, { force: true });
  }
}
