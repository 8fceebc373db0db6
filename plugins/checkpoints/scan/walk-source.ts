import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { isFile } from "../git/output.ts";
import { type Clock, tooLong } from "./clock.ts";
import { isRecent, type ScanContext, type ScannedFile } from "./scanned-file.ts";
import type { Listing, Source } from "./source.ts";

/** Folders with generated or downloaded files; needed outside of git, where no ignore file lists them. */
const SKIPPED = new Set([".git", ".hg", ".svn", ".scorel", "node_modules", ".venv", "__pycache__"]);

/** A folder's entries, with its times when they were read. */
interface Folder {
  ino: number;
  mtimeMs: number;
  ctimeMs: number;
  /** Whether it was read so soon after its last change that equal times prove nothing. */
  young: boolean;
  files: ReadonlySet<string>;
  folders: readonly string[];
}

/**
 * Lists all files below a folder outside of git. Links are not followed, and a folder is read again only if its times changed.
 */
export class WalkSource implements Source {
  private readonly context: ScanContext;
  private folders = new Map<string, Folder>();

  constructor(context: ScanContext) {
    this.context = context;
  }

  async list(known: ReadonlyMap<string, ScannedFile>, clock: Clock): Promise<Listing | string> {
    const { root, home, maxFiles, maxScanMs } = this.context;
    // A whole home is not scanned: it is too large and contains keys.
    if (`${home}/`.startsWith(root.endsWith("/") ? root : `${root}/`)) return "the home directory is not scanned";
    const folders = new Map<string, Folder>();
    const open = [""];
    let count = 0;
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (clock.isDue && !(await clock.pause())) return tooLong(maxScanMs);
      const folder = this.folderAt(path);
      if (!folder) continue;
      folders.set(path, folder);
      for (const inside of folder.folders) open.push(inside);
      count += folder.files.size;
      if (count > maxFiles) return `more than ${maxFiles} files`;
    }
    this.folders = folders;
    const lists = (path: string) => folders.get(folderOf(path))?.files.has(path) ?? false;
    return { suspects: suspects(folders, known, lists), lists, tracked: () => undefined, accept: () => {} };
  }

  close(): void {
    this.folders.clear();
  }

  private folderAt(path: string): Folder | undefined {
    const absolute = join(this.context.root, path);
    try {
      const stat = fs.lstatSync(absolute, { throwIfNoEntry: false });
      if (!stat?.isDirectory()) return undefined;
      const last = this.folders.get(path);
      if (last && !last.young && isSame(last, stat)) return last;
      const { ino, mtimeMs, ctimeMs } = stat;
      return { ino, mtimeMs, ctimeMs, young: isRecent(Math.max(mtimeMs, ctimeMs)), ...entriesIn(absolute, path) };
    } catch {
      return undefined; // The folder was removed, or is not accessible to this user and thus to tools.
    }
  }
}

function* suspects(
  folders: ReadonlyMap<string, Folder>,
  known: ReadonlyMap<string, ScannedFile>,
  lists: (path: string) => boolean,
): Iterable<string> {
  let met = 0;
  for (const { files } of folders.values())
    for (const path of files) {
      if (known.has(path)) met++;
      yield path;
    }
  if (met < known.size) for (const path of known.keys()) if (!lists(path)) yield path;
}

function entriesIn(absolute: string, path: string): Pick<Folder, "files" | "folders"> {
  const files = new Set<string>();
  const folders: string[] = [];
  for (const entry of fs.readdirSync(absolute, { withFileTypes: true })) {
    const inside = path === "" ? entry.name : `${path}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (isFile(inside)) files.add(inside);
    } else if (!SKIPPED.has(entry.name)) folders.push(inside);
  }
  return { files, folders };
}

function isSame(folder: Folder, stat: fs.Stats): boolean {
  return folder.ino === stat.ino && folder.mtimeMs === stat.mtimeMs && folder.ctimeMs === stat.ctimeMs;
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}
