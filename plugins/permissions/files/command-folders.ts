import { resolve } from "node:path";
import { bareName } from "../shell/hazards.ts";
import type { Unit } from "../shell/shell.ts";
import type { Token } from "../shell/words.ts";
import { matchesOf, type Search } from "./file-search.ts";
import { opened } from "./opened.ts";

const MAX_FOLDERS = 16;

/** Adds the folders that a unit changes to, or runs a program in. */
export function addFolders({ tokens }: Unit, place: Search): void {
  const words = tokens.filter(({ kind }) => kind === "word");
  const moves = /^(?:cd|pushd)$/.test(bareName(words[0]?.value ?? ""));
  for (const [at, word] of words.entries()) {
    const before = words[at - 1]?.value ?? "";
    const text = word.value ?? word.text;
    if (at > 0 && (FOLDER_OPTION.test(before) || (moves && !/^-/.test(text)))) enter(word, place);
    const glued = /^(?:-C|--(?:directory|chdir|cwd|prefix|work-tree|git-dir)=)(.+)$/s.exec(text)?.[1];
    if (glued !== undefined) enter({ ...word, text: glued, ...(word.value !== undefined && { value: glued }) }, place);
  }
  if (moves && words.length === 1) addFolder(place.home, place);
  for (const { kind, text } of tokens) {
    const folder = kind === "redirect" ? undefined : /^GIT_(?:WORK_TREE|DIR)=(.+)$/s.exec(text)?.[1];
    if (folder !== undefined) enter({ kind: "word", text: folder, marked: true }, place);
  }
}

const FOLDER_OPTION = /^(?:-C|--directory|--chdir|--cwd|--prefix|--work-tree|--git-dir)$/;

function enter(word: Token, place: Search): void {
  const { folders } = place.found;
  for (const folder of [...folders]) {
    const paths = pathsOf(word, folder, place);
    if (paths.length === 0) place.found.unknown ??= "an unknown folder";
    for (const path of paths) addFolder(path, place);
  }
}

function addFolder(path: string, { found }: Search): void {
  if (found.folders.includes(path)) return;
  if (found.folders.length < MAX_FOLDERS) found.folders.push(path);
  else found.unknown ??= "more folders than can be checked";
}

/** The paths that a word may expand to in a folder; empty when unknown. */
function pathsOf({ value, text }: Token, folder: string, place: Search): readonly string[] {
  if (value !== undefined) return [resolve(folder, value)];
  const open = opened(text, folder, place.home);
  if (open === undefined) return [];
  return /[*?[{(]/.test(open) ? (matchesOf(resolve(folder, open), place) ?? []) : [resolve(folder, open)];
}
