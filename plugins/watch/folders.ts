import { existsSync, type FSWatcher, readdirSync, realpathSync, type Stats, statSync, watch } from "node:fs";
import { dirname, join, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { ifReadable } from "@scorel/kit/files/readable";
import { errors } from "./errors.ts";

/** Milliseconds without a change after which a burst of changes counts as complete. */
const QUIET_MS = 100;
/** Maximum depth of watched folders. */
const DEEPEST = 8;

/** Watches files and folders. */
export interface FolderWatcher {
  /** Replaces the watched paths. Throws WATCH_FOLDER. */
  look(paths: readonly string[]): void;
  close(): void;
}
export interface WatchCallbacks {
  /** Called with files that were changed, created or deleted. */
  changed(files: readonly string[]): void;
  /** Called when a file or folder cannot be watched from now on. */
  failed(thrown: unknown): void;
}

/** Files and a fingerprint of each. */
type Stamps = ReadonlyMap<string, string>;

/**
 * Watches files and folders with everything in them, even those that do not exist yet. System events only trigger a
 * comparison with the last known state, so missed or duplicate events do no harm.
 */
export function watchFolders({ changed, failed }: WatchCallbacks): FolderWatcher {
  const watchers: Watchers = new Map();
  let paths: readonly string[] = [];
  let stamps: Stamps = new Map();
  let quiet: NodeJS.Timeout | undefined;
  let closed = false;
  const wake = () => {
    clearTimeout(quiet);
    quiet = setTimeout(again, QUIET_MS).unref();
  };
  const again = () => {
    try {
      refresh(paths);
    } catch (thrown) {
      failed(thrown);
    }
  };
  const refresh = (wanted: readonly string[]) => {
    if (closed) return;
    const before = { stamps, paths };
    const first = survey(wanted);
    follow(watchers, first.folders, wake);
    // Survey again for files that were created before their folder was watched.
    stamps = survey(wanted).stamps;
    paths = wanted;
    const files = changedFiles(before, { stamps, paths });
    if (files.length > 0) changed(files);
    if (![...stamps.keys()].every((file) => first.stamps.has(file))) wake();
  };
  return {
    look: refresh,
    close() {
      closed = true;
      clearTimeout(quiet);
      follow(watchers, new Map(), wake);
    },
  };
}

type Watchers = Map<string, { watcher: FSWatcher; ino: number }>;

/** Keeps one watcher per folder, and replaces it when the folder was replaced. */
function follow(watchers: Watchers, folders: ReadonlyMap<string, number>, wake: () => void): void {
  for (const [folder, { watcher, ino }] of watchers) {
    if (folders.get(folder) === ino) continue;
    watcher.close();
    watchers.delete(folder);
  }
  for (const [folder, ino] of folders) {
    const watcher = watchers.has(folder) ? undefined : watcherOf(folder, wake);
    if (watcher) watchers.set(folder, { watcher, ino });
  }
}

/** Watches a folder without keeping the process alive. Returns undefined for one that this user may enter, but not list. */
function watcherOf(path: string, wake: () => void): FSWatcher | undefined {
  try {
    // Some systems report a removed folder as an error; the next survey notices it.
    return ifReadable(() => watch(path, { persistent: false }, wake))?.on("error", wake);
  } catch (thrown) {
    throw errors.WATCH_FOLDER({ path, reason: codeOf(thrown) }, { cause: thrown });
  }
}

interface Survey {
  stamps: Map<string, string>;
  /** Folders to watch, with their inode. */
  folders: Map<string, number>;
}

function survey(paths: readonly string[]): Survey {
  const found: Survey = { stamps: new Map(), folders: new Map() };
  for (const path of paths) {
    note(existing(dirname(path)), found);
    visit(path, found, 0);
  }
  return found;
}

/** Leaves out what cannot be read: nothing else depends on it, so everything else is still watched. */
function visit(path: string, found: Survey, depth: number): void {
  const stats = ifReadable(() => statSync(path));
  if (stats?.isFile()) {
    found.stamps.set(path, stampOf(stats));
    // Also watch the folder of a link's target.
    const real = ifReadable(() => realpathSync(path));
    if (real !== undefined) note(dirname(real), found);
  }
  if (!stats?.isDirectory() || depth > DEEPEST) return;
  const names = ifReadable(() => readdirSync(path));
  if (!names) return;
  found.folders.set(path, stats.ino);
  for (const name of names)
    if (!name.startsWith(".") && name !== "node_modules") visit(join(path, name), found, depth + 1);
}

function note(folder: string, { folders }: Survey): void {
  const stats = ifReadable(() => statSync(folder));
  if (stats) folders.set(folder, stats.ino);
}

function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(" ");
}

/** Returns the nearest existing parent folder. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

interface Looked {
  stamps: Stamps;
  paths: readonly string[];
}

/** Returns the files that changed between two surveys, among the paths of both. */
function changedFiles(before: Looked, now: Looked): string[] {
  const changed = [...now.stamps].filter(([file, stamp]) =>
    before.stamps.has(file) ? before.stamps.get(file) !== stamp : isBelow(before.paths, file),
  );
  const gone = [...before.stamps.keys()].filter((file) => !now.stamps.has(file) && isBelow(now.paths, file));
  return [...changed.map(([file]) => file), ...gone];
}

function isBelow(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file === path || file.startsWith(path + sep));
}
