import { resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { MANY } from "./gaps.ts";
import { type Expansion, expandGlob, showsHidden } from "./globs.ts";
import { bareName, takesOrders } from "./hazards.ts";
import { doubtAbout, isInterpreter } from "./interpreters.ts";
import { kindOf } from "./looks.ts";
import { formsOf, guessed, mayOpenFiles, namesInSed, withoutProc } from "./path-forms.ts";
import { type Reader, readerOf } from "./readers.ts";
import { readCommand, type Token, type Unit } from "./shell.ts";

/** A file or folder that a command names. */
export interface NamedFile {
  path: string;
  /** Whether it surely is a file that the command uses; a word may also only look like one. */
  sure: boolean;
  /** Whether its content is read, not only its name. */
  contents: boolean;
}
/** What a command names, as far as that can be told without running it. */
export interface CommandFiles {
  files: NamedFile[];
  /** Folders that it goes through with all in them. */
  walked: NamedFile[];
  /** Folders that parts of it run in. */
  folders: string[];
  /** What goes through folders in it is git, which knows its own files only. */
  onlyGit: boolean;
  /** Why it may read anything else, too. */
  unknown?: string;
  /** What there is so much of that not all of it was looked at. */
  tooMany?: string;
}

const MAX_FOLDERS = 16;
const MAX_FILES = 10_000;
const MAX_NAMES = 200_000;

/** Every file and folder that the parts of a command name, from whatever folder they may run in. */
export function filesOf(command: string, cwd: string, { cwd: base, home }: Workspace): CommandFiles {
  const { units, unknown, fed } = readCommand(command);
  const start = resolve(base, cwd);
  const found: CommandFiles = { files: [], walked: [], folders: [start], onlyGit: true };
  // What one part prints another may take for names of files.
  const handsOn = units.some((unit) => takesOrders(nameOf(unit)) || takesNames(unit));
  const values = valuesIn(units, start, home);
  const names = { matches: new Map(), left: MAX_NAMES, hidden: showsHidden(command) };
  const place: Ground = { home, found, handsOn, values, seen: new Set(), ...names };
  if (unknown.length > 0) {
    found.unknown = unknown[0] as string;
    addPieces(command, place);
  }
  if (start !== base) found.files.push({ path: start, sure: true, contents: false });
  const different = differentOf(units);
  for (const unit of different) addFolders(unit, place);
  for (const unit of different) addUnit(unit, place);
  // Whatever is fed to a program that only prints or keeps it is not carried out.
  if (handsOn) for (const text of fed) addPieces(text, place);
  return found;
}

interface Ground extends Expansion {
  home: string;
  handsOn: boolean;
  /** What the command gives to variables. */
  values: ReadonlyMap<string, readonly string[]>;
  found: CommandFiles;
  /** Files of the same unit that were added before. */
  seen: Set<string>;
  /** What globs name. */
  matches: Map<string, readonly string[] | undefined>;
}

/** Each unit once, however often it stands in the command. */
function differentOf(units: readonly Unit[]): Unit[] {
  const key = ({ tokens, nested }: Unit) => JSON.stringify([nested, tokens.map(({ kind, text }) => [kind, text])]);
  return [...new Map(units.map((unit) => [key(unit), unit])).values()];
}

function nameOf({ tokens }: Unit): string {
  return bareName(tokens.find(({ kind }) => kind === "word")?.value ?? "");
}

/** Compilers and programs that bring files, which read what they are to read or bring from their standard input. */
function takesNames(unit: Unit): boolean {
  const isProgram = /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|as|m4|curl|wget|tar|gtar|bsdtar|cpio|rsync)$/.test(
    nameOf(unit),
  );
  return unit.tokens.some(
    ({ kind, value = "" }) =>
      kind === "word" && ((isProgram && /^(?:.*=|@|-[a-zA-Z]+)?-$/.test(value)) || /files0-from/.test(value)),
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

/** Where a unit moves to, and where it has a program run. */
function addFolders({ tokens }: Unit, place: Ground): void {
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

function enter(word: Token, place: Ground): void {
  const { folders } = place.found;
  for (const folder of [...folders]) {
    const paths = pathsOf(word, folder, place);
    if (paths.length === 0) place.found.unknown ??= "a folder that cannot be told";
    for (const path of paths) addFolder(path, place);
  }
}

function addFolder(path: string, { found }: Ground): void {
  if (found.folders.includes(path)) return;
  if (found.folders.length < MAX_FOLDERS) found.folders.push(path);
  else found.unknown ??= "more folders than can be looked at";
}

/** The paths that a word stands for in a folder; none when that cannot be told. */
function pathsOf({ value, text }: Token, folder: string, place: Ground): readonly string[] {
  if (value !== undefined) return [resolve(folder, value)];
  const open = opened(text, folder, place.home);
  if (open === undefined) return [];
  return /[*?[{(]/.test(open) ? (matchesOf(resolve(folder, open), place) ?? []) : [resolve(folder, open)];
}

function addUnit({ tokens, nested }: Unit, place: Ground): void {
  const words = tokens.filter(({ kind }) => kind === "word");
  const values = words.map(({ value }) => value);
  // An option whose value is open is known by its name; of git every word counts.
  const given = nameOf({ tokens, nested }) === "git" ? values : words.map(({ value, text }) => value ?? text);
  const own = readerOf(given, (word) => place.found.folders.some((it) => kindOf(resolve(it, word)) !== undefined));
  const reader = nested || place.handsOn ? { ...own, contents: true, scripts: own.scripts || place.handsOn } : own;
  const { found } = place;
  if (/^(?:xargs|parallel|eval)$/.test(bareName(values[0] ?? "")))
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
  if (reader.startsHere && (reader.startsAnyway || !hasFile))
    for (const path of found.folders) found.walked.push({ path, sure: false, contents: reader.contents });
  if (found.walked.length > walked && bareName(values[0] ?? "") !== "git") found.onlyGit = false;
}

/** Files that scripts of sed name, and what scripts of awk may put together. */
function addScripts(name: string, values: readonly (string | undefined)[], reader: Reader, place: Ground): void {
  const scripts = values.slice(1).filter((value) => value !== undefined);
  if (/^g?sed$/.test(name))
    for (const file of scripts.flatMap(namesInSed))
      for (const folder of place.found.folders) addFile(resolve(folder, file), false, reader, place);
  const words = values.map((value) => value ?? MANY);
  if (isInterpreter(name) && doubtAbout(name, words, false) !== undefined) place.found.unknown ??= `code for ${name}`;
  if (/awk$/.test(name) && scripts.some(mayOpenFiles)) place.found.unknown ??= "a script of awk that opens files";
}

/** What a variable is given is a file only for whoever uses it. */
const ASSIGNED: Reader = { ...readerOf(["cat"]), readsUnknown: false };

function addRedirect(token: Token, operator: Token | undefined, place: Ground): void {
  if (operator?.kind !== "redirect" || !/^\d*<>?$/.test(operator.text)) return;
  addWord(token, { ...ASSIGNED, readsUnknown: true }, false, place);
}

function addWord(token: Token, reader: Reader, isScript: boolean, place: Ground): void {
  const { found, home } = place;
  const { value, text } = token;
  for (const folder of found.folders) {
    if (value !== undefined)
      for (const { path, sure } of formsOf(value))
        addFile(resolve(folder, path.replaceAll("\0", "")), sure, reader, place);
    else {
      const open = opened(text, folder, home);
      if (open === undefined) {
        if (reader.readsUnknown) found.unknown ??= "words that only the shell knows";
        const start = text.replace(/\$(?:HOME\b|\{HOME\})|^~(?=\/|$)/g, () => home);
        for (const form of guessed(start, place.values).flatMap(formsOf))
          addFile(resolve(folder, form.path), false, reader, place);
      } else if (/[*?[{(]/.test(open)) addMatches(resolve(folder, open), reader, place);
      else for (const { path, sure } of formsOf(open)) addFile(resolve(folder, path), sure, reader, place);
    }
  }
  if (value === undefined && /[({]/.test(text)) addPieces(text, place);
  if ((isScript || reader.scripts) && value !== undefined && /[\s'"()<>|;&`]/.test(value)) addPieces(value, place);
}

/** A word with what is known of it put in: the home, the folder, no quotes. Undefined when something else is open in it. */
function opened(text: string, folder: string, home: string): string | undefined {
  const known = text
    .replace(/\$'((?:[^'\\]|\\.)*)'/gs, (_, quoted: string) => unescaped(quoted))
    .replace(/^~\+(?=\/|$)/, folder)
    .replace(/^~(?=\/|$)|(?<=[=:])~(?=\/|$)/g, home)
    .replace(/^~root(?=\/|$)/, "/root")
    .replace(/^~(\w+)(?=\/|$)/, "/home/$1")
    .replace(/\$(?:HOME\b|\{HOME\})/g, home)
    .replace(/\$(?:PWD\b|\{PWD\})/g, folder)
    .replace(/\$[?#$!]|\$(?:PPID|BASHPID)\b|\$\{(?:PPID|BASHPID)\}/g, "0");
  if (/[$`]|<\(|>\(/.test(known.replace(/\\[$`]/g, ""))) return undefined;
  return known.replace(/\\(.)/gs, "$1").replace(/["']/g, "");
}

/** What `$'…'` stands for, as far as it can hide a name. */
function unescaped(text: string): string {
  const code = (digits: string, base: number) => String.fromCodePoint(Number.parseInt(digits, base) % 0x110000);
  return text
    .replace(/\\x([\da-f]{1,2})|\\u([\da-f]{1,4})|\\U([\da-f]{1,8})/gi, (_, x, u, long) => code(x ?? u ?? long, 16))
    .replace(/\\([0-7]{1,3})/g, (_, digits: string) => code(digits, 8))
    .replace(/\\(.)/gs, "$1");
}

/** The existing files that a glob names; what braces and brackets leave open counts as anything. */
function addMatches(glob: string, reader: Reader, place: Ground): void {
  // So that a name which only the pattern tells, as in `*.pem`, is seen where no such file is there yet.
  addFile(glob.replace(/[*?[\]{}()]/g, "x"), false, reader, place);
  const matches = matchesOf(glob, place);
  if (matches === undefined) place.found.unknown ??= "more files than can be looked at";
  for (const path of matches ?? []) addFile(path, true, reader, place);
}

function matchesOf(glob: string, place: Ground): readonly string[] | undefined {
  if (!place.matches.has(glob)) place.matches.set(glob, expandGlob(glob, place));
  return place.matches.get(glob);
}

/** Parts of a text that may be names of files. */
function addPieces(text: string, place: Ground): void {
  const reader = readerOf(["cat"]);
  const pieces = new Set([...text.split(/[\s'"()<>|;&`\\{}[\],]+/), ...text.split(/[\s'"()<>|;&`]+/)]);
  for (const piece of pieces)
    if (piece !== "")
      for (const folder of place.found.folders) {
        const path = opened(piece, folder, place.home);
        if (path !== undefined && /[*?]/.test(path) && path.length < 200)
          addMatches(resolve(folder, path), reader, place);
        else if (path !== undefined)
          for (const form of formsOf(path)) addFile(resolve(folder, form.path), false, reader, place);
      }
}

function addFile(named: string, isSure: boolean, reader: Reader, place: Ground): void {
  for (const path of withoutProc(named, place.found.folders)) addPath(path, isSure, reader, place);
}

function addPath(path: string, isSure: boolean, reader: Reader, { found, seen }: Ground): void {
  const sure = isSure && reader.files;
  const key = `${sure}${reader.contents}${reader.goesThrough}${path}`;
  if (seen.has(key)) return;
  seen.add(key);
  if (found.files.length >= MAX_FILES) {
    found.tooMany = "more words than can be looked at";
    return;
  }
  // A text with blanks is the name of a file only where there is one.
  if (/\s/.test(path) && kindOf(path) === undefined) return;
  const file = { path, sure, contents: reader.contents };
  found.files.push(file);
  if (reader.goesThrough && sure && isFolder(path)) found.walked.push(file);
}

/** Whether there is a folder of this name. */
export function isFolder(path: string): boolean {
  return kindOf(path) === "folder";
}
