import type { ScriptAnalysis } from "../rules/possible.ts";
import { hasGap, MANY } from "./gaps.ts";
import { bareName } from "./hazards.ts";
import { doubtAbout, isForeign, type ShellCode, shellCode } from "./interpreters.ts";
import { loadedBy, readsOnly } from "./loaded-files.ts";
import { packageSetting, runsPackageScript } from "./package-settings.ts";
import { isQuiet, steeringOf } from "./programs.ts";
import { isVague } from "./runner-tables.ts";
import { type Inner, innerOf } from "./runners.ts";
import { optionInner, runsUnknown, unknownOptionInner } from "./running-options.ts";
import { type Place, ScriptReader } from "./script-reader.ts";
import { unreadableIn } from "./shell.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { toolInner } from "./tools.ts";

/** Builtins that set the variables named in their arguments. */
const SETTING = /^(?:read|printf|mapfile|readarray|getopts|declare|typeset|local|export)$/;
/** Programs that copy or link other programs, which then run under another name. */
const COPYING = /^(?:ln|cp|mv|install|hash)$/;
/** Package managers, whose arguments may name a program or a package.json script. */
const PACKAGES = /^(?:npm|pnpm|yarn|bun)$/;
/** Builtins whose arguments are scripts or function names. */
const CALLING = /^(?:complete|compgen|bind|mapfile|readarray|fc)$/;

/** Finds every command that a script may run, however it is hidden. */
class ScriptAnalyzer extends ScriptReader {
  private readonly files: { path: string; place: Place }[] = [];
  /** Words by which a program may load a file that the script itself writes. */
  private readonly loaded: string[] = [];
  /** Values of variables and settings that name programs or folders of programs. */
  private readonly steering: string[] = [];
  /** Names of programs that the script runs; some load files by default. */
  private readonly programs = new Set<string>();
  /** Whether `exec` redirected standard input for all later commands. */
  private isInputSet = false;

  constructor(script: string) {
    super();
    const place = { depth: 0, sure: true, isText: false, isPiped: false };
    this.read(script, place);
    this.readFiles();
    for (const text of [...this.evaluation.evaluated]) this.readSubstitutions(text, place);
    if (this.evaluation.isUnsure) this.doubt("arithmetic with the output of a command");
    this.readFiles();
    for (const why of this.written.doubts(this.loaded, this.steering, this.programs)) this.doubt(why);
  }

  private readFiles(): void {
    for (const { path, place } of this.files.splice(0)) this.readWritten(path, place);
  }

  /** Reads a file that is run and that the same script wrote before. */
  private readWritten(path: string, place: Place): void {
    const isWritten = this.written.mayBe(path);
    const text = this.written.textOf(path);
    if (isWritten && text !== undefined) this.read(text, { ...place, sure: false });
    else if (isWritten) this.doubt("a file that the command itself writes");
  }

  protected run(given: SimpleCommand, place: Place): void {
    const { words, assignments = [] } = given;
    const characters = words.reduce((sum, word) => sum + word.length + 1, 0);
    if (!this.mayRead(characters, place.depth) || this.isKnown(given, place)) return;
    this.add(given, place);
    for (const text of [...assignments, ...words]) this.steer(text, place);
    const [first] = words;
    if (first === undefined) return;
    const name = bareName(first);
    if (SETTING.test(name) && words.some((word) => steeringOf(`${word}=`) !== undefined))
      this.doubt(`the variables that ${name} sets`);
    if (hasGap(name)) {
      this.doubtScript("a command whose name is only known when it runs", place);
      return;
    }
    if (first.includes("/")) this.files.push({ path: first, place });
    this.noteFiles(name, given, place);
    const shell = shellCode(name, words);
    if (shell) this.runShell(shell, name, given, place);
    else this.runProgram(name, given, place);
  }

  /** Records the files that a program writes, and those that it may load. */
  private noteFiles(name: string, { words, isFed }: SimpleCommand, { isText }: Place): void {
    this.written.noteWords(name, words);
    if (!isText) {
      (name === "git" ? this.steering : this.loaded).push(...loadedBy(name, words));
      if (!packageSetting(name, words)?.sure) this.programs.add(runsPackageScript(name, words) ? "npm" : name);
    }
    if (name === "exec" && words.length === 1 && isFed) this.isInputSet = true;
  }

  /** Runs a shell or an interpreter with a script in its arguments, in a file or on standard input. */
  private runShell(shell: ShellCode, name: string, { feed }: SimpleCommand, place: Place): void {
    if (shell.unsure !== undefined) this.doubt(shell.unsure);
    if (shell.script !== undefined) this.read(shell.script, place);
    for (const file of [...(shell.file === undefined ? [] : [shell.file]), ...(shell.also ?? [])])
      this.files.push({ path: file, place });
    if (!shell.reads) return;
    if (feed === undefined) {
      this.doubt(`the standard input of ${name}`);
      return;
    }
    if (isForeign(name, feed)) this.doubt(`a script for ${name}`);
    this.read(feed, place);
  }

  /** Runs a program that is no shell, and the commands in its arguments and on its standard input. */
  private runProgram(name: string, given: SimpleCommand, place: Place): void {
    const { words, isFed = false } = given;
    const doubt = doubtAbout(name, words, place.isPiped || isFed);
    if (doubt !== undefined) this.doubt(doubt);
    const inner = innerOf(name, words);
    if (inner) this.runInner(inner, given, place);
    const input = given.feed ?? (isFed ? undefined : place.input);
    if (input !== undefined && !(inner && !isVague(name)) && !readsOnly(name, words))
      this.readInput(input, words, given, place);
    const tool = toolInner(name, words);
    if (tool) this.runInner(tool, given, place);
    const byOption = inner ? undefined : optionInner(name, words);
    if (byOption) this.runInner(byOption, { words }, place);
    if (runsUnknown(name, words, hasGap)) this.doubt(`the command that ${name} runs`);
    const isKnown = (inner || tool) && !isVague(name) && !PACKAGES.test(name);
    if (doubt !== undefined || !isKnown) this.search(name, given, place);
  }

  private runInner({ commands, scripts, unsure, reads }: Inner, { feed, isFed }: SimpleCommand, place: Place): void {
    for (const why of unsure) this.doubt(why);
    const { isPiped, isFedAround = false } = place;
    if (reads && (isPiped || isFed || isFedAround || this.isInputSet))
      this.doubt("a shell that reads its standard input");
    const inside = { ...place, depth: place.depth + 1 };
    for (const { words, sure } of commands)
      this.run(
        { words, ...(feed !== undefined && { feed }), ...(isFed && { isFed }) },
        { ...inside, sure: place.sure && sure },
      );
    for (const { text, sure } of scripts) this.read(text, { ...place, sure: place.sure && sure });
  }

  /** Reads standard input as a script too, for a program that may run it. */
  private readInput(input: string, words: readonly string[], given: SimpleCommand, place: Place): void {
    this.read(input, { depth: place.depth, sure: false, isText: true, isPiped: false });
    const shell = words.findIndex((word, at) => at > 0 && shellCode(bareName(word), words.slice(at))?.reads);
    if (shell > 0) this.run({ ...given, words: words.slice(shell), feed: input }, { ...place, sure: false });
  }

  /** Treats any arguments of an unknown program as a command that it may run. */
  private search(name: string, { words }: SimpleCommand, place: Place): void {
    if (place.isText) return;
    const rest = words.slice(1);
    const isScript = CALLING.test(name) || isVague(name);
    if (isScript && rest.some(hasGap)) this.doubt(`the arguments of ${name}`);
    if (name === "alias") for (const word of rest) this.alias(word, place);
    if (COPYING.test(name))
      for (const word of rest)
        if (!hasGap(bareName(word))) this.add({ words: [word, MANY] }, { ...place, sure: false });
    if (isQuiet(name, words)) return;
    const byOption = isScript ? undefined : unknownOptionInner(words);
    if (byOption) this.runInner(byOption, { words }, place);
    this.add({ words: rest }, place, true);
    if (rest.some((word) => word.includes(",")))
      this.add({ words: rest.flatMap((word) => word.split(",")) }, place, true);
    const inside = { ...place, sure: false, isText: !isScript };
    for (const word of rest) {
      if (!/\s/.test(word)) continue;
      const pieces = word.split(/["'`]/);
      for (const piece of pieces.length > 1 ? [word, ...pieces] : pieces)
        if (/\S/.test(piece)) this.read(piece, inside);
    }
  }

  private alias(word: string, place: Place): void {
    const value = word.slice(word.indexOf("=") + 1);
    if (value === word) return;
    this.read(value, { ...place, sure: false });
    this.add({ words: [...value.split(/\s+/), MANY] }, { ...place, sure: false });
  }

  /** Handles variables that name programs or files of commands. */
  private steer(text: string, place: Place): void {
    if (!place.isText) this.written.noteVariable(text);
    const value = steeringOf(text);
    if (value === undefined) return;
    if (hasGap(value)) this.doubt(`the value of ${text.slice(0, text.indexOf("="))}`);
    this.read(value.replace(/^!/, ""), { ...place, sure: false, isText: false });
    this.add({ words: [...value.split(/[\s=!]+/), MANY] }, place, true);
    this.steering.push(...value.split(/\s+/));
  }
}

/** Finds everything that a command may run, for deny and ask rules. */
export function analyzeScript(command: string): ScriptAnalysis {
  const unreadable = unreadableIn(command);
  return unreadable === undefined ? new ScriptAnalyzer(command) : { commands: [], unsure: [unreadable] };
}
