import { type OwnFile, ownFileTest, ownFolders } from "@scorel/kit/files/own-files";
import { isWithin } from "@scorel/kit/files/paths";
import { visiblePath } from "@scorel/kit/text/plain";
import type { Workspace } from "@scorel/workspace/contract";
import type { Rule } from "../rules/rule.ts";
import { isAbout, ruleFor } from "../rules/rules.ts";
import { type Case, deny, type Verdict } from "../verdict.ts";
import { kindOf, leadsTo } from "./file-cache.ts";
import { holdsKeys, isAroundKeys, isSystem } from "./keys.ts";
import { coveredBy, fits, isInside } from "./paths.ts";

/** What a session's rules say about reading files. Paths are absolute. */
export interface ReadRules {
  /** The first rule that denies reading a file with any tool. */
  denies(path: string): Rule | undefined;
  asks(path: string): Rule | undefined;
  /** All deny and ask rules about reading. They decide when it is unknown what a command reads. */
  readonly restricting: readonly Rule[];
  /** Whether a file is asked about in every mode: it holds keys or Scorel's records, and no allow rule names exactly this file. */
  isKept(path: string): boolean;
  /** Whether a folder contains a folder with keys, or Scorel's own. */
  isAroundKept(path: string): boolean;
  /** Describes a file of Scorel itself; undefined for all other files. */
  own(path: string): OwnFile | undefined;
  /** Scorel's own folder, by its given and by its real path. */
  readonly ownFolders: readonly string[];
  /** Whether reading a file, by its real path, needs no question. */
  isOpen(path: string): boolean;
}

type Reader = Pick<Case, "tool" | "rules" | "workspace" | "readable">;

/** The rules about what a tool reads: rules for the tool itself, and rules for Read with a pattern. */
export function readRules({ tool, rules, workspace, readable }: Reader): ReadRules {
  const about = (list: readonly Rule[], loose: boolean) =>
    list.filter(
      (rule) =>
        rule.pattern !== undefined && (isAbout(rule, "Read", loose) || (tool !== "Bash" && isAbout(rule, tool, loose))),
    );
  const covering = (list: readonly Rule[]) =>
    about(list, true).map((rule) => ({ rule, covers: coveredBy(rule.pattern as string, workspace) }));
  const [denied, asked] = [covering(rules.deny), covering(rules.ask)];
  const allowed = about(rules.allow, false).map(({ pattern }) => pattern as string);
  const isFree = tool !== "Bash" && rules.allow.some((it) => it.pattern === undefined && isAbout(it, tool));
  const folders = readable.folders.map((folder) => leadsTo(folder) ?? folder);
  const isReadable = (path: string) => folders.some((folder) => isWithin(folder, path));
  const names = (path: string) => allowed.some((pattern) => !isWild(pattern) && fits(pattern, path, workspace));
  const owned = ownFolders(workspace.home, leadsTo);
  const own = ownFileTest(owned);
  const opened = [...allowed, ...readable.patterns.flatMap((pattern) => [pattern, `${pattern}/**`])];
  return {
    denies: (path) => denied.find(({ covers }) => covers(path))?.rule,
    asks: (path) => asked.find(({ covers }) => covers(path))?.rule,
    restricting: [...denied, ...asked].map(({ rule }) => rule),
    isKept: (path) => (holdsKeys(path) || (own(path) === "record" && !isReadable(path))) && !names(path),
    isAroundKept: (path) => isAroundKeys(path, workspace.home) || owned.some((folder) => isWithin(path, folder)),
    own,
    ownFolders: owned,
    isOpen: (path) =>
      isFree ||
      isInside(path, workspace) ||
      (isSystem(path) && !isWithin(workspace.home, path)) ||
      isReadable(path) ||
      (path.length < 1_000 && opened.some((pattern) => fits(pattern, path, workspace))),
  };
}

function isWild(pattern: string): boolean {
  return /(?<!\\)(?:\\\\)*\*/.test(pattern);
}

/** The verdict against a tool reading these files and folders; undefined if there is none. */
export function judgeReads(paths: readonly string[], call: Case): Verdict | undefined {
  if (paths.length === 0) return undefined;
  const { workspace, mode } = call;
  const rules = readRules(call);
  const all = [...new Set([...paths, ...paths.map((path) => leadsTo(path) ?? path)])];
  const stored = all.find((path) => rules.own(path) === "secret");
  if (stored !== undefined) return deny(keyStoreReason(stored));
  for (const path of all) {
    const rule = rules.denies(path);
    if (rule) return deny(`the rule "${rule.text}" denies it`);
  }
  const asked = all.flatMap((path) => rules.asks(path) ?? [])[0];
  if (asked) return { decision: "ask", why: `the rule "${asked.text}" asks for approval`, rules: [] };
  const kept = all.find(rules.isKept);
  if (kept !== undefined) return askAboutKept(kept, rules, workspace);
  if (mode === "full") return undefined;
  const closed = paths.find((path) => !rules.isOpen(leadsTo(path) ?? path));
  if (closed === undefined) return undefined;
  const outside = leadsTo(closed);
  // No rule is offered for a link without a target, since it would cover whatever the link leads to later.
  if (outside === undefined)
    return {
      decision: "ask",
      why: `${visiblePath(shownIn(closed, workspace))} leads to no file that can be read`,
      rules: [],
    };
  return {
    decision: "ask",
    why: `${visiblePath(shownIn(outside, workspace))} is outside of the project`,
    rules: rulesForReading(outside, workspace),
  };
}

/** The reason for denying a file of Scorel's key store. */
export function keyStoreReason(path: string): string {
  return `${visiblePath(path)} contains Scorel's own keys, which tools cannot read`;
}

/**
 * The question about a file that needs approval in every mode. Only a rule for exactly that file would allow it, so no
 * rule is offered for a `word` with a wildcard, which the question names instead of the file.
 */
export function askAboutKept(path: string, { own }: ReadRules, workspace: Workspace, word?: string): Verdict {
  const shown = word ?? shownIn(path, workspace);
  const what =
    own(path) === "record"
      ? "is one of Scorel's own records, which may be about other projects"
      : "usually contains keys or passwords";
  return {
    decision: "ask",
    why: `${visiblePath(shown)} ${what}`,
    rules: word === undefined ? [ruleFor("Read", shown)] : [],
  };
}

/**
 * The rule that allows reading a file, or a folder with everything in it. None for a folder around the project or the home, since it would
 * also allow everything beside them.
 */
function rulesForReading(path: string, workspace: Workspace): string[] {
  const rule = ruleFor("Read", shownIn(path, workspace));
  if (kindOf(path) !== "folder") return [rule];
  const isAround = [workspace.root, workspace.home].some((folder) => isWithin(path, folder));
  return isAround ? [] : [rule.replace(/\)$/, "/**)")];
}

/** A path as shown to people and written in rules: relative to the project when inside it. */
export function shownIn(path: string, { root }: Workspace): string {
  return path !== root && isWithin(root, path) ? path.slice(root.length + 1) : path;
}

/**
 * A test for the files that a search must leave out: those with deny or ask rules, and, when the search shows contents, those
 * with keys. A folder that the person approved is searched completely.
 */
export function hiddenIn(
  folder: string,
  shows: "names" | "contents",
  reader: Omit<Reader, "tool">,
): (path: string) => boolean {
  const rules = readRules({ ...reader, tool: shows === "names" ? "Glob" : "Grep" });
  const agreed = {
    rule: rules.asks(folder),
    kept: shows === "names" || holdsKeys(folder) || rules.own(folder) === "record",
  };
  return (path) => {
    if (rules.own(path) === "secret" || rules.denies(path)) return true;
    const asking = rules.asks(path);
    return (asking !== undefined && asking !== agreed.rule) || (!agreed.kept && rules.isKept(path));
  };
}
