import * as fs from "node:fs";
import { dirname } from "node:path";
import { homeOfGit } from "@scorel/kit/process/run-git";
import type { Clock } from "../scan/clock.ts";
import { isUnchanged, type Times, timesOf } from "./folder-times.ts";
import type { GitOptions } from "./git.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { type Index, isFile, namesIn } from "./output.ts";

/** Runs git in the project and returns its output. */
export type Ask = (
  args: readonly string[],
  options?: Pick<GitOptions, "input" | "codes" | "onComplaint">,
) => Promise<string>;

/** A folder in which git looks for untracked files. */
interface Watched extends Times {
  /** The paths of its subfolders. */
  folders: readonly string[];
  /** The times of its `.gitignore`, if any. */
  rules: Times | undefined;
  /** Whether it may be a nested repository. Whether git enters such a folder depends on more than its times. */
  isNested: boolean;
}

const RULES = ["config", "--list", "--show-origin", "-z"];
const OTHERS = ["ls-files", "-z", "--others", "--exclude-standard"];
const IGNORED = ["check-ignore", "-z", "--stdin"];
const ROOT = "";
const HERE = "./";
/** Up to this many folders are passed to git by name; otherwise it lists the whole project. */
const MOST_NAMED = 100;

/**
 * The files that git neither tracks nor ignores. They can change only with the names in a folder that is not ignored, with the
 * rules or with the index, so git is asked again only about folders whose times changed.
 */
export class Untracked {
  private readonly root: string;
  private readonly ask: Ask;
  private readonly rules: IgnoreRules;
  private files: ReadonlySet<string> = new Set();
  private readonly folders = new Map<string, Watched>();
  private readonly ignored = new Set<string>();
  private since = 0;

  constructor(root: string, ask: Ask) {
    this.root = root;
    this.ask = ask;
    this.rules = new IgnoreRules(root, homeOfGit());
  }

  /** Lists the files. `isNew` says that the index changed; `index` resolves to its content. */
  async list(isNew: boolean, index: Promise<Index>, clock: Clock): Promise<ReadonlySet<string>> {
    this.since = Date.now();
    try {
      const stale = isNew || this.rules.haveChanged() ? undefined : await this.stale(clock);
      if (!stale) this.forget();
      const asked = new Set(stale ?? [ROOT]);
      const [names, rules, known] = await clock.waitFor(
        Promise.all([this.namesBelow(asked), stale ? undefined : this.ask(RULES), index]),
      );
      if (rules !== undefined) this.rules.learn(rules, this.since);
      if (names !== undefined) {
        this.files = new Set([...[...this.files].filter((path) => !isBelow(path, asked)), ...names]);
        await this.watch(asked, known, clock);
      }
      return this.files;
    } catch (thrown) {
      this.forget();
      throw thrown;
    }
  }

  private forget(): void {
    this.rules.forget();
    this.folders.clear();
    this.ignored.clear();
  }

  /** Folders in which something may have changed, without folders inside them; undefined if ignore rules changed. */
  private async stale(clock: Clock): Promise<string[] | undefined> {
    const stale = new Set<string>();
    for (const [path, folder] of this.folders) {
      if (clock.isDue) await clock.pause();
      const now = statOf(this.at(path));
      if (folder.isNested || !now || !isUnchanged(folder, now)) stale.add(path);
      const rules = folder.rules && now && statOf(this.at(join(path, ".gitignore")));
      if (folder.rules && rules && !isUnchanged(folder.rules, rules)) return undefined;
    }
    const most = [...stale].filter((path) => path === ROOT || !isBelow(path, stale));
    return most.length > MOST_NAMED ? [ROOT] : most;
  }

  private async namesBelow(folders: ReadonlySet<string>): Promise<ReadonlySet<string> | undefined> {
    if (folders.size === 0) return undefined;
    return namesIn(await this.ask(folders.has(ROOT) ? OTHERS : ["--literal-pathspecs", ...OTHERS, "--", ...folders]));
  }

  /** Finds the folders, from `tops` down, in which untracked files can appear. */
  private async watch(tops: ReadonlySet<string>, index: Index, clock: Clock): Promise<void> {
    const before = new Map(this.folders);
    for (const path of before.keys()) if (tops.has(path) || isBelow(path, tops)) this.folders.delete(path);
    for (const path of this.ignored) if (isBelow(path, tops)) this.ignored.delete(path);
    let inhabited: ReadonlySet<string> | undefined;
    const holdsFiles = (path: string) => {
      inhabited ??= foldersAbove([...index.tracked.keys(), ...this.files]);
      return inhabited.has(path);
    };
    let open = [...tops];
    while (open.length > 0) {
      const empty: string[] = [];
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        if (clock.isDue) await clock.pause();
        const folder = this.look(path, before.get(path));
        if (!folder) continue;
        this.folders.set(path, folder);
        for (const inside of folder.folders) {
          if (index.submodules.has(inside) || this.ignored.has(inside)) continue;
          (holdsFiles(inside) ? open : empty).push(inside);
        }
      }
      open = await clock.waitFor(this.notIgnored(empty));
    }
  }

  private look(path: string, last: Watched | undefined): Watched | undefined {
    const stat = statOf(this.at(path));
    if (!stat?.isDirectory()) return undefined;
    if (last && isUnchanged(last, stat)) return last;
    const names = namesOf(this.at(path));
    const rules = names.has(".gitignore") ? statOf(this.at(join(path, ".gitignore"))) : undefined;
    const isNested = path !== ROOT && [...names.keys()].some((name) => name.toLowerCase() === ".git");
    const inside = [...names].filter(([, isFolder]) => isFolder).map(([name]) => join(path, name));
    const folders = isNested ? [] : inside.filter(isFile);
    return { ...timesOf(stat, this.since), folders, rules: rules && timesOf(rules, this.since), isNested };
  }

  /** Filters out ignored folders. A folder without files that git lists is either empty or ignored. */
  private async notIgnored(folders: readonly string[]): Promise<string[]> {
    if (folders.length === 0) return [];
    // `check-ignore` refuses `--literal-pathspecs`. Without the prefix, a name that begins with `:` would be taken for a pattern.
    const input = folders.map((path) => HERE + path).join("\0");
    const answer = (await this.ask(IGNORED, { input, codes: [1] })).split("\0");
    const ignored = new Set(answer.map((path) => path.slice(HERE.length)));
    for (const path of folders) if (ignored.has(path)) this.ignored.add(path);
    return folders.filter((path) => !ignored.has(path));
  }

  private at(path: string): string {
    return join(this.root, path);
  }
}

function join(folder: string, name: string): string {
  return folder === ROOT ? name : `${folder}/${name}`;
}

/** Whether a path is in one of these folders. */
function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  for (let above = dirname(path); above !== "."; above = dirname(above)) if (folders.has(above)) return true;
  return folders.has(ROOT);
}

/** The parent folders of these files, at all levels. */
function foldersAbove(files: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of files)
    for (let above = dirname(path); above !== "." && !folders.has(above); above = dirname(above)) folders.add(above);
  return folders;
}

/** The names in a folder, and whether each is a folder; empty when it cannot be read, which git cannot either. */
function namesOf(folder: string): Map<string, boolean> {
  try {
    return new Map(fs.readdirSync(folder, { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory()]));
  } catch {
    return new Map();
  }
}

function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A parent is not a folder or cannot be entered.
  }
}
