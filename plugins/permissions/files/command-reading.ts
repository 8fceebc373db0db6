import { type Dirent, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { readBytes } from "@scorel/kit/files/open";
import { isWithin } from "@scorel/kit/files/paths";
import { visiblePath } from "@scorel/kit/text/plain";
import type { Workspace } from "@scorel/workspace/contract";
import type { Rule } from "../rules/rule.ts";
import { type Case, deny, type Verdict } from "../verdict.ts";
import { filesOf } from "./command-files.ts";
import { isElsewhere, kindOf, leadsTo } from "./file-cache.ts";
import type { CommandFiles, Listing, NamedFile, WalkedFolder } from "./file-search.ts";
import { askAboutKept, keyStoreReason, type ReadRules, readRules, shownIn } from "./reading.ts";

/**
 * The most entries below a folder that are checked. For rules, a folder with more is assumed to contain anything; keys
 * are not assumed in it.
 */
const MAX_ENTRIES = 5_000;

/** The verdict against a command because of files that it reads or may read; undefined if there is none. */
export function judgeReadingOf(command: string, cwd: string, call: Case): Verdict | undefined {
  const rules = readRules(call);
  const found = filesOf(command, cwd, call.workspace);
  const files = withReal([...found.files, ...found.walked]);
  return (
    byKeyStore(files, found, rules) ??
    byRules(files, found, rules, call) ??
    byKeys(files, found, rules, call) ??
    (found.tooMany === undefined ? undefined : { decision: "ask", why: `it names ${found.tooMany}`, rules: [] })
  );
}

/** Lists each file once under its given path, and once more under its real path if that differs. */
function withReal(files: readonly NamedFile[]): NamedFile[] {
  const known = new Map<string, NamedFile>();
  for (const file of files)
    for (const path of new Set([file.path, realOr(file.path)])) {
      const { sure, contents, word } = known.get(path) ?? { sure: false, contents: false, word: file.word };
      const merged = { path, sure: sure || file.sure, contents: contents || file.contents };
      known.set(path, word === undefined || file.word === undefined ? merged : { ...merged, word });
    }
  return [...known.values()];
}

function realOr(path: string): string {
  return leadsTo(path) ?? path;
}

/** How a message names a file: by the word with the wildcard that matches it, if there is one. */
function nameOf({ path, word }: NamedFile, workspace: Workspace): string {
  return word ?? shownIn(path, workspace);
}

function byKeyStore(
  files: readonly NamedFile[],
  { walked, listed }: CommandFiles,
  { own, ownFolders }: ReadRules,
): Verdict | undefined {
  const named = files.find(({ path, contents }) => contents && own(path) === "secret");
  const through = walked.find(({ path, contents }) => contents && ownFolders.includes(realOr(path)));
  const isOwn = (path: string) => own(path) === "secret";
  const lists = ({ folders, paths }: Listing) =>
    bothOf(folders).some((path) => isOwn(path) || ownFolders.includes(path)) || bothOf(paths).some(isOwn);
  const found = [named, through].flatMap((file) => (file ? [file.word ?? file.path] : []))[0];
  const name = found ?? listed.find(lists)?.word;
  return name === undefined ? undefined : deny(keyStoreReason(name));
}

/** These paths and their real paths. */
function bothOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, realOr(path)]);
}

/** Checks deny rules first, then ask rules. Asks when the command may read files that cannot be determined. */
function byRules(
  files: readonly NamedFile[],
  found: CommandFiles,
  rules: ReadRules,
  { workspace }: Case,
): Verdict | undefined {
  const [first] = rules.restricting;
  if (!first) return undefined;
  const named = (covers: (path: string) => Rule | undefined, isSure: boolean) =>
    files
      .flatMap((file) => (file.sure === isSure ? [{ name: nameOf(file, workspace), rule: covers(file.path) }] : []))
      .find(({ rule }) => rule);
  const listed = (covers: (path: string) => Rule | undefined) =>
    found.listed
      .map(({ word, folders }) => ({ word, rule: bothOf(folders.slice(0, 1)).map(covers).find(Boolean) }))
      .find(({ rule }) => rule);
  const denied = named(rules.denies, true);
  if (denied) return deny(`it reads ${denied.name}, and the rule "${denied.rule?.text}" denies it`);
  const hidden = listed(rules.denies);
  if (hidden) return deny(`it lists ${hidden.word}, and the rule "${hidden.rule?.text}" denies it`);
  const ask = (why: string): Verdict => ({ decision: "ask", why, rules: [] });
  const asked = named(rules.asks, true);
  if (asked) return ask(`it reads ${asked.name}, and the rule "${asked.rule?.text}" asks for approval`);
  const covers = (path: string) => rules.denies(path) ?? rules.asks(path);
  const maybe = named(covers, false);
  if (maybe) return ask(mayRead(maybe.name, maybe.rule as Rule));
  const unknown = found.unknown ?? found.tooMany;
  if (unknown !== undefined)
    return ask(`it contains ${unknown}, so it may read what the rule "${first.text}" is about`);
  for (const file of found.walked) {
    const inside = firstIn(file, (entry) => covers(entry) !== undefined);
    if (inside === "too many" || (inside !== undefined && !isWithin(workspace.root, inside)))
      return ask(
        `it goes through ${nameOf(file, workspace)}, which may contain what the rule "${first.text}" is about`,
      );
    if (inside !== undefined && isShown(inside, found, workspace))
      return ask(mayRead(shownIn(inside, workspace), covers(inside) as Rule));
  }
  return undefined;
}

function mayRead(path: string, { text }: Rule): string {
  return `it may read ${path}, which the rule "${text}" is about`;
}

/** Whether a walk shows this file: git alone shows only tracked files. */
function isShown(path: string, { onlyGit }: CommandFiles, { root }: Workspace): boolean {
  return !onlyGit || isTracked(relative(root, path), root);
}

/** Returns true when unsure: a compressed index does not hold whole names. */
function isTracked(name: string, root: string): boolean {
  if (isElsewhere()) return true;
  try {
    const index = readBytes(join(root, ".git", "index"));
    return index.readUInt32BE(4) > 3 || index.includes(`${name}\0`) || index.includes(`${name}/`);
  } catch {
    return true;
  }
}

/** Asks about files that hold keys or Scorel's records: those named by the command and, except in mode `full`, those in folders that it walks. */
function byKeys(
  files: readonly NamedFile[],
  { walked }: CommandFiles,
  rules: ReadRules,
  { workspace, mode }: Case,
): Verdict | undefined {
  const named = files.find(({ path, contents }) => contents && rules.isKept(path));
  if (named) return askAboutKept(named.path, rules, workspace, named.word);
  for (const file of walked.filter(({ contents }) => contents)) {
    const real = realOr(file.path);
    const goesThrough = (): Verdict => ({
      decision: "ask",
      why: `it goes through ${visiblePath(file.word ?? real)}, which contains keys`,
      rules: [],
    });
    if (rules.isAroundKept(real)) return goesThrough();
    const inside = mode === "full" ? undefined : firstIn(file, rules.isKept);
    if (inside === undefined || inside === "too many") continue;
    // Does not name a file outside of the project: the question must not reveal names that a folder contains.
    return isWithin(workspace.root, inside) ? askAboutKept(inside, rules, workspace) : goesThrough();
  }
  return undefined;
}

/**
 * The first matching path below a folder. For a program that may follow links, folders behind them are searched, too, but last and with a
 * limit of their own, so that links to thousands of files do not hide what is in the folder itself.
 */
function firstIn(
  { path, followsLinks }: WalkedFolder,
  isAskedFor: (path: string) => boolean,
): string | "too many" | undefined {
  if (isElsewhere()) return "too many";
  const listed = new Set<string>();
  const linked = new Set<string>();
  const inside = search({ folders: new Set([realOr(path)]), linked, listed }, isAskedFor);
  if (!followsLinks || (inside !== undefined && inside !== "too many")) return inside;
  return search({ folders: linked, linked, listed }, isAskedFor) ?? inside;
}

/** The folders of a search. The sets grow while folders are searched. */
interface Folders {
  /** Those to search. */
  folders: Set<string>;
  /** Those behind links. */
  linked: Set<string>;
  /** Those that have been searched. */
  listed: Set<string>;
}

/**
 * The first matching path in folders and below them. A link also counts as the path it points to. Folders near the top are searched first,
 * since that is where projects keep their keys, and not below thousands of installed files.
 */
function search(
  { folders, linked, listed }: Folders,
  isAskedFor: (path: string) => boolean,
): string | "too many" | undefined {
  let left = MAX_ENTRIES;
  for (const at of folders) {
    for (const entry of listed.has(at) ? [] : entriesIn(at)) {
      if (--left < 0) return "too many";
      const path = join(at, entry.name);
      const target = entry.isSymbolicLink() ? realOr(path) : path;
      const found = [path, target].find(isAskedFor);
      if (found !== undefined) return found;
      if (entry.name === ".git") continue;
      if (entry.isDirectory()) folders.add(path);
      else if (target !== path && kindOf(target) === "folder") linked.add(target);
    }
    listed.add(at);
  }
  return undefined;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // A folder that cannot be listed cannot be walked either.
  }
}
