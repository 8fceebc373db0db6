import { resolve } from "node:path";
import type { Workspace } from "@scorel/workspace/contract";
import { isInside } from "../files/paths.ts";
import { isQuietRepository } from "../git/git-folders.ts";
import { uncovered } from "../shell/coverage.ts";

/** Git commands that only read, whatever their operands. */
const READING =
  /^(?:status|diff|log|show|blame|shortlog|ls-files|ls-tree|rev-parse|rev-list|describe|merge-base|name-rev|cat-file|show-ref|count-objects|check-ignore|grep|version)$/;
/** Git commands that list when they have no operand, with the options allowed then. */
const LISTING: Readonly<Record<string, RegExp>> = {
  branch:
    /^(?:-[arvl]+|--(?:all|remotes|verbose|list|show-current|ignore-case|no-color|no-column|(?:sort|format|color)=.*))$/s,
  tag: /^(?:-[nl]+\d*|--(?:list|ignore-case|no-color|no-column|(?:sort|format|color)=.*))$/s,
  remote: /^(?:-v|--verbose)$/,
};
/** Options of reading commands that run a program, contact a server or write. */
const ACTING = /^--(?:batch.*|show-signature|ext-diff|textconv|filters|no-index|refresh|no-optional-locks)(?:=|$)/;
/** Formats that make git run another program to check signatures. */
const SIGNATURE = /%G|%\(signature/;

/**
 * Whether a git command only reads the project's own repository, whose settings make none of these commands run a program.
 * Other repositories below the project are judged by `gitDangerOf`.
 */
export function isFreeGit(
  words: readonly string[],
  folder: string,
  workspace: Workspace,
  readable: (path: string) => boolean,
): boolean {
  const [, ...rest] = words;
  while (rest[0] === "--no-pager") rest.shift();
  const [command = "", ...operands] = rest;
  if (command === "stash" ? operands.join(" ") !== "list" : !READING.test(command) && !isListing(command, operands))
    return false;
  const { from, words: single = [] } = uncovered("git", ["git", ...rest]) ?? { from: 0 };
  if (from < rest.length + 1 || single.length > 0) return false;
  if (operands.some((word) => ACTING.test(word) || SIGNATURE.test(word))) return false;
  if (!operands.every((word) => /^-/.test(word) || isOfProject(word, folder, workspace, readable))) return false;
  return isQuietRepository(folder, workspace);
}

function isListing(command: string, operands: readonly string[]): boolean {
  const options = Object.hasOwn(LISTING, command) ? LISTING[command] : undefined;
  return options !== undefined && operands.every((word) => options.test(word));
}

/**
 * A path outside of the repository would make `git diff` compare arbitrary files. A commit name counts as a path that does not
 * exist.
 */
function isOfProject(word: string, folder: string, workspace: Workspace, readable: (path: string) => boolean): boolean {
  if (/(?:^|[/:])\.\.(?:\/|$)/.test(word)) return false;
  return [word, word.slice(word.indexOf(":") + 1)].every((name) => {
    const path = resolve(folder, name);
    return isInside(path, workspace) && readable(path);
  });
}
