import { resolve } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import type { Workspace } from "@scorel/workspace/contract";
import { filesOf, isFolder } from "../files/command-files.ts";
import { bareName } from "../shell/hazards.ts";
import { readCommand, type Unit } from "../shell/shell.ts";
import { gitDanger } from "./git-folders.ts";

/** Programs that run git in the current folder. */
const GIT = /^(?:git(?:-[\w-]+)?|gh|hub|glab|tig|lazygit|gitk)$/;
/** Programs that create files whose names are not in the command. */
const BRINGERS = /^(?:cp|mv|ln|tar|bsdtar|unzip|7z[ar]?|cpio|rsync|patch|unsquashfs|scp|curl|wget)$/;
const GIT_BRINGERS =
  /^(?:checkout|switch|pull|merge|reset|restore|clone|stash|apply|am|cherry-pick|revert|rebase|submodule|worktree|read-tree|checkout-index|mv|sparse-checkout|bisect|init)$/;
/** File names by which git recognises a repository. */
const PARTS = /(?:^|\/)(?:HEAD|objects|refs|commondir|config)(?:\/|$)/i;

/**
 * Why git in this command may run a program that the user did not choose. Checks every folder that the command changes to or
 * names, as git would, and refuses a command that may turn a folder into a repository before running git there.
 */
export function gitDangerOf(command: string, cwd: string, workspace: Workspace): string | undefined {
  const { units } = readCommand(command);
  if (!units.some(runsGit)) return undefined;
  const { folders, files } = filesOf(command, cwd, workspace);
  const start = resolve(workspace.cwd, cwd);
  const named = files.flatMap(({ path }) => (path !== start && isFolder(path) ? [path] : []));
  const danger = gitDanger([...new Set([...folders, ...named])], workspace);
  if (danger !== undefined) return danger;
  const isBelow = folders.some((folder) => folder !== workspace.root && isWithin(workspace.root, folder));
  return isBelow && units.some(bringsFiles) ? "git in a folder that the same command may change" : undefined;
}

function wordsOf({ tokens }: Unit): (string | undefined)[] {
  return tokens.filter(({ kind }) => kind === "word").map(({ value }) => value);
}

/** Checks every word, since a word before `git` may be a program that runs it. */
function runsGit(unit: Unit): boolean {
  return wordsOf(unit).some((word) => GIT.test(bareName(word ?? "")));
}

function bringsFiles(unit: Unit): boolean {
  const [name = "", ...words] = wordsOf(unit);
  const program = bareName(name);
  if (BRINGERS.test(program)) return true;
  if (program === "git") return words.some((word) => GIT_BRINGERS.test(word ?? ""));
  const targets = unit.tokens.filter(
    ({ kind, text }, at) => kind === "redirect" && !/^\d*[<>&]/.test(text) && />/.test(unit.tokens[at - 1]?.text ?? ""),
  );
  const made = /^(?:mkdir|touch|tee|install|dd)$/.test(program) ? words : [];
  return [...made, ...targets.map(({ value }) => value)].some((word) => word === undefined || PARTS.test(word));
}
