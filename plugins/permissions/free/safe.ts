import { join, resolve } from "node:path";
import { environmentOf } from "@scorel/kit/process/environment";
import { foreignProgram } from "@scorel/kit/process/programs";
import type { Workspace } from "@scorel/workspace/contract";
import { kindOf, leadsTo, namesIn } from "../files/file-cache.ts";
import { type Expanded, type Expansion, expandGlob } from "../files/globs.ts";
import { isInside } from "../files/paths.ts";
import type { Unit } from "../shell/shell.ts";
import type { Token } from "../shell/words.ts";
import { isFreeGit } from "./free-git.ts";
import { filesNamed, followsLinks } from "./free-programs.ts";

/** The context in which a command is judged. */
export interface Surroundings {
  workspace: Workspace;
  /** Every folder that the command may run in; undefined when not all are known. */
  folders: readonly string[] | undefined;
  /** Whether no deny rule protects a file from being read. */
  readable(path: string): boolean;
}

const MAX_NAMES = 20_000;
/** The most entries of a folder that are searched for links. */
const MAX_ENTRIES = 2_000;

/**
 * Whether a command certainly only reads the project and prints: all its words are known, no option has side effects, and all
 * files are inside the project.
 */
export function isSafe({ tokens }: Unit, surroundings: Surroundings): boolean {
  const { workspace, folders, readable } = surroundings;
  const [name] = tokens;
  if (name?.kind !== "word" || tokens.some(({ kind }) => kind !== "word")) return false;
  if (programOfProject(name.value, workspace) !== undefined) return false;
  const start = resolve(workspace.cwd);
  return (folders ?? [start]).every((folder) => {
    const words = wordsIn(tokens, folder, surroundings);
    if (words === undefined) return false;
    const files = filesNamed(words);
    if (files === undefined && words[0] === "git")
      return folders !== undefined && isFreeGit(words, folder, workspace, readable);
    const staysOpen = (word: string) => !followsLinks(words[0]) || !mayLeave(resolve(folder, word), workspace);
    const isFree = (word: string) => isOpen(word, folder, workspace, readable) && staysOpen(word);
    return files?.every((word) => folders !== undefined && isFree(word)) ?? false;
  });
}

/** Whether links below a folder lead out of the project or to other folders. True for a folder that is too large to search. */
function mayLeave(folder: string, workspace: Workspace): boolean {
  const folders = [folder];
  let left = MAX_ENTRIES;
  for (const at of folders) {
    const real = kindOf(at) === "folder" ? leadsTo(at) : undefined;
    for (const name of real === undefined ? [] : namesIn(at)) {
      const path = join(at, name);
      if (--left < 0 || !isInside(path, workspace)) return true;
      const isFolder = kindOf(path) === "folder";
      if (isFolder && leadsTo(path) !== join(real as string, name)) return true;
      if (isFolder) folders.push(path);
    }
  }
  return false;
}

/** The file in the project that runs as this program, because a folder of the project is on the PATH of commands. */
export function programOfProject(name: string | undefined, { environment, root }: Workspace): string | undefined {
  const path = environment ? environmentOf(environment).PATH : process.env.PATH;
  return name === undefined || name.includes("/") ? undefined : foreignProgram(name, path, root);
}

/** Whether a word names a readable file inside the project, after resolving links. */
function isOpen(word: string, folder: string, workspace: Workspace, readable: (path: string) => boolean): boolean {
  // After a link, `..` means the parent of the link's target.
  if (/[^/.][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(word)) return false;
  const path = resolve(folder, word);
  return isInside(path, workspace) && readable(path);
}

/**
 * The words of a command with globs expanded; undefined when the shell may produce other words, or when it would list a
 * folder that may not be read: any program, even a harmless one, would get the names in it.
 */
function wordsIn(
  tokens: readonly Token[],
  folder: string,
  { workspace, folders, readable }: Surroundings,
): string[] | undefined {
  const budget = { left: MAX_NAMES };
  const words: string[] = [];
  for (const { value, text } of tokens) {
    if (value !== undefined) words.push(value);
    else {
      const found = folders && expansionOf(text, folder, budget);
      if (!found?.folders.every((path) => isInside(path, workspace) && readable(path))) return undefined;
      // Without a match, the word stays as it is.
      words.push(...(found.paths.length === 0 ? [text] : found.paths));
    }
  }
  return words;
}

/** The expansion of a simple glob; undefined when it is not known for certain. */
function expansionOf(text: string, folder: string, budget: Expansion): Expanded | undefined {
  if (!/^[\w./@+,*?-]+$/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text) || text.startsWith("-")) return undefined;
  const found = expandGlob(resolve(folder, text), budget);
  if (found === undefined) return undefined;
  // When a word begins with a wildcard, a matching file name may look like an option.
  if (/^[^/]*[*?]/.test(text) && namesIn(folder).some((name) => name.startsWith("-"))) return undefined;
  return found;
}
