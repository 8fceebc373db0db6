import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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

/** Code that V8 reads faster than this is not kept compiled. Bytes. */
const worthwhile = 16 * 1024;
/** What has not been written anew for so long belongs to versions that nobody runs. Milliseconds. */
const outdated = 30 * 24 * 60 * 60 * 1000;

/** Compiles files of the built command, and keeps what V8 made of them for the next process. */
export interface CodeCache {
  /** The value of a file that is one expression; the file is ASCII. */
  evaluate(file: string): unknown;
  /** A part of that file is in use now: code that was compiled before it was is worth compiling again. */
  use(file: string, part: string): void;
  /** Writes down what is new. Called once, when the process ends. */
  keep(): void;
}

/** What stands in front of the compiled code: what it was made of, its own checksum, and the parts that had been in use. */
interface Label {
  source: number;
  code: number;
  parts: string[];
}

interface Unit {
  script: Script;
  source: number;
  kept: string;
  /** In use when the compiled code was kept; undefined when there is none that fits. */
  known: readonly string[] | undefined;
  used: Set<string>;
}

/**
 * The cache in `~/.scorel/cache/code`. A cache that is missing, damaged, of another version of Node, in a folder that
 * others can write or on a full disk costs time and nothing else. It is written only where sessions are kept: a command that
 * keeps nothing leaves nothing behind.
 */
export function createCodeCache(): CodeCache {
  const folder = privateFolder();
  const units = new Map<string, Unit>();
  return {
    evaluate(file) {
      const bytes = readFileSync(file);
      const text = bytes.toString("latin1");
      if (folder === undefined || bytes.length < worthwhile)
        return new Script(text, { filename: file }).runInThisContext();
      const source = crc32(bytes);
      const kept = join(folder, nameFor(file));
      const found = read(kept, source);
      const script = new Script(text, { filename: file, cachedData: found?.code });
      const known = script.cachedDataRejected === false ? found?.parts : undefined;
      units.set(file, { script, source, kept, known, used: new Set() });
      return script.runInThisContext();
    },
    use: (file, part) => void units.get(file)?.used.add(part),
    keep() {
      for (const unit of units.values()) if (isNews(unit)) write(unit);
    },
  };
}

function isNews({ known, used }: Unit): boolean {
  return known === undefined || [...used].some((part) => !known.includes(part));
}

/** Undefined when nothing may be kept or believed there. */
function privateFolder(): string | undefined {
  try {
    const own = join(homedir(), ".scorel");
    const folders = [own, join(own, "cache"), join(own, "cache", "code")];
    return isAbsolute(own) && folders.every(isPrivate) ? folders.at(-1) : undefined;
  } catch {
    // This user has no home, or it cannot be looked into: the command itself will say so, if it needs one.
    return undefined;
  }
}

function isPrivate(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || weaknessOf(path, stats) === undefined;
}

/** One file for each file of each installation, and for each way to run it: V8 refuses code compiled with other options. */
function nameFor(file: string): string {
  const { version, arch, execArgv, env } = process;
  const place = JSON.stringify([dirname(file), version, arch, execArgv, env.NODE_OPTIONS ?? ""]);
  return `${basename(file, ".js")}-${crc32(place).toString(16)}.bin`;
}

function read(kept: string, source: number): { code: Buffer; parts: string[] } | undefined {
  try {
    const bytes = readFileSync(kept);
    const end = bytes.indexOf("\n");
    const label = JSON.parse(bytes.toString("utf8", 0, end)) as Label;
    const code = bytes.subarray(end + 1);
    return label.source === source && label.code === crc32(code) ? { code, parts: label.parts } : undefined;
  } catch {
    // Not written yet, or not by us: what it would save is all that is lost.
    return undefined;
  }
}

/** Under a name of its own first, so that a process that starts meanwhile finds all of it or none. */
function write({ script, source, kept, known = [], used }: Unit): void {
  const folder = dirname(kept);
  const unfinished = `${kept}.${process.pid}`;
  if (!existsSync(join(folder, "../../sessions"))) return;
  try {
    const code = script.createCachedData();
    const label: Label = { source, code: crc32(code), parts: [...new Set([...known, ...used])] };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(unfinished, Buffer.concat([Buffer.from(`${JSON.stringify(label)}\n`), code]), { mode: 0o600 });
    renameSync(unfinished, kept);
    prune(folder);
  } catch {
    // A full disk, a home that is read-only: the next command compiles again.
    if (existsSync(unfinished)) rmSync(unfinished);
  }
}

function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > outdated) rmSync(file, { force: true });
  }
}
