import { resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { isFreeGit } from "./free-git.ts";
import { filesNamed } from "./free-programs.ts";
import { expandGlob } from "./globs.ts";
import { namesIn } from "./looks.ts";
import { isInside } from "./paths.ts";
import type { Token, Unit } from "./shell.ts";

/** Where a command is judged. */
export interface Surroundings {
  workspace: Workspace;
  /** Every folder that it may run in, as far as all of them are known. */
  folders: readonly string[] | undefined;
  /** Whether no rule keeps a file from being read. */
  readable(path: string): boolean;
}

const MAX_NAMES = 20_000;

/**
 * Whether a command provably only reads the project and prints: everything in it is known beforehand, every option is one
 * that has no side effect, and every file lies in the project.
 */
export function isSafe({ tokens }: Unit, { workspace, folders, readable }: Surroundings): boolean {
  const [name] = tokens;
  if (name?.kind !== "word" || tokens.some(({ kind }) => kind !== "word")) return false;
  const start = resolve(workspace.cwd);
  return (folders ?? [start]).every((folder) => {
    const words = wordsIn(tokens, folder);
    if (words === undefined) return false;
    const files = filesNamed(words);
    if (files === undefined && words[0] === "git")
      return folders !== undefined && isFreeGit(words, folder, workspace, readable);
    return files?.every((word) => folders !== undefined && isOpen(word, folder, workspace, readable)) ?? false;
  });
}

/** Whether a word names a file in the project that may be read, whatever links are on the way. */
function isOpen(word: string, folder: string, workspace: Workspace, readable: (path: string) => boolean): boolean {
  // Behind a link `..` leads to the folder above of where the link leads.
  if (/[^/.][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(word)) return false;
  const path = resolve(folder, word);
  return isInside(path, workspace) && readable(path);
}

/** The words of a command with the names in the place of globs; undefined when the shell may make something else of one. */
function wordsIn(tokens: readonly Token[], folder: string): string[] | undefined {
  const budget = { left: MAX_NAMES };
  const words: string[] = [];
  for (const { value, text } of tokens) {
    if (value !== undefined) words.push(value);
    else {
      const names = namesOf(text, folder, budget);
      if (names === undefined) return undefined;
      words.push(...names);
    }
  }
  return words;
}

/** The files that a glob of plain letters, `*` and `?` names, as it writes them; without any, the glob itself. */
function namesOf(text: string, folder: string, budget: { left: number }): string[] | undefined {
  if (!/^[\w./@+,*?-]+$/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text) || text.startsWith("-")) return undefined;
  const found = expandGlob(resolve(folder, text), budget);
  if (found === undefined) return undefined;
  // A name may look like an option where the glob is the beginning of the word.
  if (/^[^/]*[*?]/.test(text) && namesIn(folder).some((name) => name.startsWith("-"))) return undefined;
  return found.length === 0 ? [text] : found;
}
