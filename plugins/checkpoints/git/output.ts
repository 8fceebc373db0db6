import { isInside } from "../record/state.ts";
import type { Clock } from "../scan/clock.ts";
import { inodeOf, type Tracked } from "../scan/scanned-file.ts";

/** The entries of git's index. */
export interface Index {
  /** Null for files in `unsure`. */
  tracked: Map<string, Tracked | null>;
  submodules: ReadonlySet<string>;
  /** Files that git does not compare with the disk, or always reports as changed; they must be read. */
  unsure: string[];
}

const ENTRY = /([0-7]{6}) ([0-9a-f]{40,64}) ([0-3])\t([^\0]+)\0((?: {2}.*\n)*)/g;
const DETAILS =
  / {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n.*\n {2}size: (\d+)\tflags: ([0-9a-f]+)\n/;
/** Flags of entries that git does not compare: assume-unchanged, intent-to-add and skip-worktree. */
const UNCOMPARED = 0x8000 | (1 << 29) | (1 << 30);
const LINK = "120000";
const SUBMODULE = "160000";

/**
 * Parses `ls-files --stage --debug`. The debug format is not guaranteed, so entries that cannot be parsed are always read. A
 * file as new as the index may have changed since, so only reading it shows its content.
 */
export async function parseIndex(text: string, written: number, clock: Clock): Promise<Index> {
  const tracked: Index["tracked"] = new Map();
  const unsure = new Set<string>();
  const submodules = new Set<string>();
  for (const [, mode = "", oid = "", stage, path = "", debug = ""] of text.matchAll(ENTRY)) {
    if (clock.isDue) await clock.pause();
    if (mode === SUBMODULE) submodules.add(path);
    if (mode === SUBMODULE || !isFile(path)) continue;
    const entry = stage === "0" ? trackedOf(DETAILS.exec(debug), oid, mode, written) : null;
    tracked.set(path, entry);
    if (entry === null) unsure.add(path);
  }
  return { tracked, submodules, unsure: [...unsure] };
}

function trackedOf(details: RegExpExecArray | null, oid: string, mode: string, written: number): Tracked | null {
  if (!details || (Number.parseInt(details[7] as string, 16) & UNCOMPARED) !== 0) return null;
  const [cs = 0, cn = 0, ms = 0, mn = 0, ino = 0, size = 0] = details.slice(1, 7).map(Number);
  const mtimeMs = ms * 1e3 + mn / 1e6;
  return {
    oid,
    ino: inodeOf(ino),
    size,
    mtimeMs,
    ctimeMs: cs * 1e3 + cn / 1e6,
    executable: mode === "100755",
    trusted: mode !== LINK && mtimeMs < written,
  };
}

/** The paths in the output of `diff-files --raw -z`. */
export function parseRaw(text: string): Set<string> {
  const paths = new Set<string>();
  const fields = text.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1] as string;
    if (isFile(path)) paths.add(path);
  }
  return paths;
}

/** The names in a NUL-terminated list. */
export function namesIn(text: string): Set<string> {
  return new Set(text.split("\0").filter(isFile));
}

/** Excludes names that are not UTF-8, which cannot be found again, and nested repositories (a trailing slash). */
export function isFile(path: string): boolean {
  return path !== "" && !path.endsWith("/") && !path.includes("\ufffd") && isInside(path);
}
