import { resolve } from "node:path";
import type { Workspace } from "@scorel/workspace/contract";
import { MANY } from "../shell/gaps.ts";
import { bareName, takesOrders } from "../shell/hazards.ts";
import { doubtAbout, isInterpreter } from "../shell/interpreters.ts";
import { readCommand, type Unit } from "../shell/shell.ts";
import type { Token } from "../shell/words.ts";
import { addFolders } from "./command-folders.ts";
import { kindOf } from "./file-cache.ts";
import { addListing, type CommandFiles, matchesOf, type Search } from "./file-search.ts";
import { hasOpenGlob, showsHidden } from "./globs.ts";
import { opened, withEarlier } from "./opened.ts";
import { formsOf, guessed, mayOpenFiles, namesInSed, withoutProc } from "./path-forms.ts";
import { type Reader, readerOf } from "./readers.ts";

const MAX_FILES = 10_000;
const MAX_NAMES = 200_000;

/** Lists every file and folder that a command may use, for each folder that its parts may run in. */
export function filesOf(command: string, cwd: string, { cwd: base, home }: Workspace): CommandFiles {
  const { units, unknown, fed } = readCommand(command);
  const start = resolve(base, cwd);
  const found: CommandFiles = { files: [], walked: [], listed: [], folders: [start], onlyGit: true };
  // One part's output may become another part's file names.
  const passesNames = units.some((unit) => takesOrders(nameOf(unit)) || takesNames(unit));
  const values = valuesIn(units, start, home);
  const names = { matches: new Map(), globs: new Set<string>(), left: MAX_NAMES, hidden: showsHidden(command) };
  const place: Search = { home, found, passesNames, values, seen: new Set(), ...names };
  if (unknown.length > 0) {
    found.unknown = unknown[0] as string;
    addPieces(command, place);
  }
  if (start !== base) found.files.push({ path: start, sure: true, contents: false });
  const different = differentOf(units);
  for (const unit of different) addFolders(unit, place);
  for (const unit of different) addUnit(unit, place);
  // Here-documents matter only when a program runs their text or reads file names from it.
  if (passesNames) for (const text of fed) addPieces(text, place);
  return found;
}

/** Removes duplicate units, which a command may repeat thousands of times. */
function differentOf(units: readonly Unit[]): Unit[] {
  const key = ({ tokens, nested }: Unit) => JSON.stringify([nested, tokens.map(({ kind, text }) => [kind, text])]);
  return [...new Map(units.map((unit) => [key(unit), unit])).values()];
}

function nameOf({ tokens }: Unit): string {
  return bareName(tokens.find(({ kind }) => kind === "word")?.value ?? "");
}

/** Whether a program reads the names of files from a file, by `--files0-from` or an abbreviation of it. */
function readsList([program = "", ...words]: readonly (string | undefined)[]): boolean {
  return /^(?:sort|wc|du)$/.test(bareName(program)) && words.some((word) => /^--f(?!ield)/.test(word ?? ""));
}

/** Whether a compiler, downloader or archiver reads file names from its standard input. */
function takesNames(unit: Unit): boolean {
  const name = nameOf(unit);
  if (/^(?:cpio|pax)$/.test(name)) return true;
  const isProgram = /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|as|m4|curl|wget|tar|gtar|bsdtar|rsync|file)$/.test(
    name,
  );
  const isZip = name === "zip";
  return unit.tokens.some(
    ({ kind, value = "" }) =>
      kind === "word" &&
      ((isProgram && /^(?:.*=|@|-[a-zA-Z]+)?-$/.test(value)) ||
        (isZip && /^-[a-zA-Z]*@|^--names/.test(value)) ||
        /files0-from/.test(value)),
  );
}

function valuesIn(units: readonly Unit[], folder: string, home: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { tokens } of units)
    for (const { kind, text } of tokens) {
      const [, name, value] = (kind === "redirect" ? null : /^(\w+)\+?=([\s\S]*)$/.exec(text)) ?? [];
      const known = value === undefined ? undefined : opened(value, folder, home);
      if (name !== undefined && known !== undefined && known.length < 1_000)
        values.set(name, [...(values.get(name) ?? []), known].slice(0, 4));
    }
  return values;
}

function addUnit({ tokens, nested }: Unit, place: Search): void {
  const words = tokens.filter(({ kind }) => kind === "word");
  const values = words.map(({ value }) => value);
  // Options with unknown values are recognised by their names; for git, every word must be known.
  const given = nameOf({ tokens, nested }) === "git" ? values : words.map(({ value, text }) => value ?? text);
  const own = readerOf(given, (word) => place.found.folders.some((it) => kindOf(resolve(it, word)) !== undefined));
  const reader =
    nested || place.passesNames
      ? { ...own, contents: true, followsLinks: true, scripts: own.scripts || place.passesNames }
      : own;
  const { found } = place;
  if (/^(?:xargs|parallel|eval)$/.test(bareName(values[0] ?? "")) || readsList(values))
    found.unknown ??= "names that are read from somewhere";
  const isScript = takesOrders(values[0] ?? "");
  addScripts(bareName(values[0] ?? ""), values, reader, place);
  const [named, walked] = [found.files.length, found.walked.length];
  const done = new Set<string>();
  place.seen.clear();
  for (const [at, token] of tokens.entries()) {
    if (token === words[0] && !token.value?.includes("/")) continue;
    const key = `${token.kind === "redirect" ? tokens[at - 1]?.text : token.kind} ${token.text}`;
    if (done.has(key)) continue;
    done.add(key);
    if (token.kind === "redirect") addRedirect(token, tokens[at - 1], place);
    else addWord(token, token.kind === "assignment" ? ASSIGNED : reader, isScript, place);
  }
  const hasFile = found.files.slice(named).some(({ path, sure }) => sure && kindOf(path) !== undefined);
  const { contents, followsLinks } = reader;
  if (reader.walksCwd && (reader.alwaysWalksCwd || !hasFile))
    for (const path of found.folders) found.walked.push({ path, sure: false, contents, followsLinks });
  if (found.walked.length > walked && bareName(values[0] ?? "") !== "git") found.onlyGit = false;
}

/** Adds files named in sed scripts, and flags awk scripts that open files. */
function addScripts(name: string, values: readonly (string | undefined)[], reader: Reader, place: Search): void {
  const scripts = values.slice(1).filter((value) => value !== undefined);
  if (/^g?sed$/.test(name))
    for (const file of scripts.flatMap(namesInSed))
      for (const folder of place.found.folders) addFile(resolve(folder, file), false, reader, place);
  const words = values.map((value) => value ?? MANY);
  if (isInterpreter(name) && doubtAbout(name, words, false) !== undefined) place.found.unknown ??= `code for ${name}`;
  if (/awk$/.test(name) && scripts.some(mayOpenFiles)) place.found.unknown ??= "an awk script that opens files";
}

/** An assigned value is a file only for the program that uses the variable, so unknown parts of it are ignored. */
const ASSIGNED: Reader = { ...readerOf(["cat"]), readsUnknown: false };

function addRedirect(token: Token, operator: Token | undefined, place: Search): void {
  if (operator?.kind !== "redirect" || !/^\d*<>?$/.test(operator.text)) return;
  addWord(token, { ...ASSIGNED, readsUnknown: true }, false, place);
}

function addWord(token: Token, reader: Reader, isScript: boolean, place: Search): void {
  const { found, home } = place;
  const { value, text } = token;
  for (const folder of found.folders) {
    if (value !== undefined)
      for (const { path, sure } of formsOf(value))
        addFile(resolve(folder, path.replaceAll("\0", "")), sure, reader, place);
    else {
      const open = opened(text, folder, home);
      // A command comes back only to a folder that it was in, and each of them has its turn here.
      const start = withEarlier(text, folder).replace(/\$(?:HOME\b|\{HOME\})|^~(?=\/|$)/g, () => home);
      const texts = open === undefined ? guessed(start, place.values) : [open];
      if (hasOpenGlob(text)) addListings(texts, text, folder, place);
      if (open === undefined) {
        if (reader.readsUnknown) found.unknown ??= "words that only the shell knows";
        for (const form of texts.flatMap(formsOf)) addFile(resolve(folder, form.path), false, reader, place);
      } else if (hasOpenGlob(text) || open.includes("(")) addMatches(resolve(folder, open), text, reader, place);
      else for (const { path, sure } of formsOf(open)) addFile(resolve(folder, path), sure, reader, place);
    }
  }
  if (value === undefined && /[({]/.test(text)) addPieces(text, place);
  if ((isScript || reader.scripts) && value !== undefined && /[\s'"()<>|;&`]/.test(value)) addPieces(value, place);
}

/** Adds the folders that the shell lists to expand the wildcards in these readings of a word. */
function addListings(texts: readonly string[], word: string, folder: string, place: Search): void {
  const paths = new Set(texts.flatMap((text) => [text, ...formsOf(text).map(({ path }) => path)]));
  for (const path of paths) if (/[*?[{]/.test(path)) addListing(resolve(folder, path), word, place);
}

/** Adds the existing files that match a glob; braces and brackets match anything. */
function addMatches(glob: string, word: string, reader: Reader, place: Search): void {
  // Checks the pattern itself too: `*.pem` counts even when no such file exists yet.
  addFile(glob.replace(/[*?[\]{}()]/g, "x"), false, reader, place, word);
  const matches = matchesOf(glob, place);
  if (matches === undefined) place.found.unknown ??= "more files than can be checked";
  for (const path of matches ?? []) addFile(path, true, reader, place, word);
}

/** Adds each piece of text that may be a file name. */
function addPieces(text: string, place: Search): void {
  const reader = readerOf(["cat"]);
  const pieces = new Set([...text.split(/[\s'"()<>|;&`\\{}[\],]+/), ...text.split(/[\s'"()<>|;&`]+/)]);
  for (const piece of pieces)
    if (piece !== "")
      for (const folder of place.found.folders) {
        const path = opened(piece, folder, place.home);
        if (path !== undefined && /[*?]/.test(path) && path.length < 200)
          addMatches(resolve(folder, path), piece, reader, place);
        else if (path !== undefined)
          for (const form of formsOf(path)) addFile(resolve(folder, form.path), false, reader, place);
      }
}

function addFile(named: string, isSure: boolean, reader: Reader, place: Search, word?: string): void {
  for (const path of withoutProc(named, place.found.folders)) addPath(path, isSure, reader, place, word);
}

function addPath(path: string, isSure: boolean, reader: Reader, { found, seen }: Search, word?: string): void {
  const sure = isSure && reader.files;
  const key = `${sure}${reader.contents}${reader.walksFolders}${path}`;
  if (seen.has(key)) return;
  seen.add(key);
  if (found.files.length >= MAX_FILES) {
    found.tooMany = "more words than can be checked";
    return;
  }
  // Text with blanks counts as a file name only if such a file exists.
  if (/\s/.test(path) && kindOf(path) === undefined) return;
  const file = { path, sure, contents: reader.contents, ...(word !== undefined && { word }) };
  found.files.push(file);
  if (reader.walksFolders && sure && isFolder(path)) found.walked.push({ ...file, followsLinks: reader.followsLinks });
}

/** Whether a path is a folder, following links. */
export function isFolder(path: string): boolean {
  return kindOf(path) === "folder";
}
