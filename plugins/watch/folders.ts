import { existsSync, type FSWatcher, readdirSync, realpathSync, type Stats, statSync, watch } from "node:fs";
import { dirname, join, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Milliseconds without a change after which a burst of them is over. */
const QUIET_MS = 100;
/** Folders below one that is watched. */
const DEEPEST = 8;

/** Files and folders that are watched. */
export interface Watched {
  /** Watches these from now on, and no others. Throws WATCH_FOLDER. */
  look(paths: readonly string[]): void;
  close(): void;
}
export interface Heard {
  /** Files that have changed, appeared or gone. */
  changed(files: readonly string[]): void;
  /** What keeps the rest from being watched. */
  failed(thrown: unknown): void;
}

/** Which files there are, and the state of each. */
type Stamps = ReadonlyMap<string, string>;

/**
 * Watches files and folders with all that is in them; those that do not exist yet, too. What the system tells is only that it is
 * worth looking: whatever was missed or told twice, looking finds what has changed.
 */
export function watchFolders({ changed, failed }: Heard): Watched {
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
    // What appeared before its folder was watched.
    stamps = survey(wanted).stamps;
    paths = wanted;
    const files = newsIn(before, { stamps, paths });
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

/** Keeps one watcher for each folder, and a new one where another folder has taken its place. */
function follow(watchers: Watchers, folders: ReadonlyMap<string, number>, wake: () => void): void {
  for (const [folder, { watcher, ino }] of watchers) {
    if (folders.get(folder) === ino) continue;
    watcher.close();
    watchers.delete(folder);
  }
  for (const [folder, ino] of folders)
    if (!watchers.has(folder)) watchers.set(folder, { watcher: watcherOf(folder, wake), ino });
}

/** It does not keep the process alive. */
function watcherOf(path: string, wake: () => void): FSWatcher {
  try {
    // A folder that is removed is told as an error on some systems; looking finds that it is gone.
    return watch(path, { persistent: false }, wake).on("error", wake);
  } catch (thrown) {
    throw errors.WATCH_FOLDER({ path, reason: codeOf(thrown) }, { cause: thrown });
  }
}

interface Survey {
  stamps: Map<string, string>;
  /** What to watch, to hear when it changes, and which folder that is now. */
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

function visit(path: string, found: Survey, depth: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) {
    found.stamps.set(path, stampOf(stats));
    // A link changes with the file that it leads to.
    note(dirname(realpathSync(path)), found);
  }
  if (!stats?.isDirectory() || depth > DEEPEST) return;
  found.folders.set(path, stats.ino);
  for (const name of readdirSync(path))
    if (!name.startsWith(".") && name !== "node_modules") visit(join(path, name), found, depth + 1);
}

function note(folder: string, { folders }: Survey): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats) folders.set(folder, stats.ino);
}

function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return [mtimeMs, ctimeMs, size, ino].join(" ");
}

/** The nearest folder that is there. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

interface Looked {
  stamps: Stamps;
  paths: readonly string[];
}

/** Of what was looked at before and is looked at now, the files that are not as they were. */
function newsIn(before: Looked, now: Looked): string[] {
  const changed = [...now.stamps].filter(([file, stamp]) =>
    before.stamps.has(file) ? before.stamps.get(file) !== stamp : isBelow(before.paths, file),
  );
  const gone = [...before.stamps.keys()].filter((file) => !now.stamps.has(file) && isBelow(now.paths, file));
  return [...changed.map(([file]) => file), ...gone];
}

function isBelow(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file === path || file.startsWith(path + sep));
}
