import { type Command, forEachChild, type ParsedScript, parse, type SyntaxNode } from "unbash";
import type { ScriptAnalysis } from "../rules/possible.ts";
import { Evaluation } from "./evaluation.ts";
import { Findings } from "./findings.ts";
import { hasGap, MANY } from "./gaps.ts";
import { bareName } from "./hazards.ts";
import { doubtAbout, isForeign, shellCode } from "./interpreters.ts";
import { loadedBy, readsOnly } from "./loaded-files.ts";
import { textPrintedBy } from "./printed-text.ts";
import { isQuiet, runsByOptions, runsUnknown, steeringOf } from "./programs.ts";
import { type Inner, innerOf, isVague } from "./runners.ts";
import { unreadableIn } from "./shell.ts";
import { redirectionsIn, type SimpleCommand, simpleCommandOf } from "./simple-command.ts";
import { toolInner } from "./tools.ts";
import { isAnyWords, Values } from "./values.ts";
import { WrittenFiles } from "./written-files.ts";

interface Place {
  depth: number;
  sure: boolean;
  /** The text is probably not a script, so only explicit commands count. */
  isText: boolean;
  /** Whether another command may write to standard input. */
  isPiped: boolean;
  /** Whether the standard input of an enclosing command is redirected. */
  isFedAround?: boolean;
  /** The possible text on standard input, when it is in the script itself. */
  input?: string;
}
/** Builtins that set the variables named in their arguments. */
const SETTING = /^(?:read|printf|mapfile|readarray|getopts|declare|typeset|local|export)$/;
/** Programs that copy or link other programs, which then run under another name. */
const COPYING = /^(?:ln|cp|mv|install|hash)$/;
/** Package managers, whose arguments may name a program or a package.json script. */
const PACKAGES = /^(?:npm|pnpm|yarn|bun)$/;
/** Builtins whose arguments are scripts or function names. */
const CALLING = /^(?:complete|compgen|bind|mapfile|readarray|fc)$/;

/** Finds every command that a script may run, however it is hidden. */
class ScriptAnalyzer extends Findings {
  private readonly written = new WrittenFiles();
  private readonly files: { path: string; place: Place }[] = [];
  /** Words by which a program may load a file that the script itself writes. */
  private readonly loaded: string[] = [];
  /** Values of variables and settings that name programs or folders of programs. */
  private readonly steering: string[] = [];
  /** Names of programs that the script runs; some load files by default. */
  private readonly programs = new Set<string>();
  /** Whether `exec` redirected standard input for all later commands. */
  private isInputSet = false;
  private readonly evaluation = new Evaluation();
  private readonly values = new Values();

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

  /** Adds a doubt that plain text, which is not a script, would often raise by mistake. */
  private doubtScript(why: string, { isText }: Place): void {
    if (!isText) this.doubt(why);
  }

  private read(text: string, from: Place): void {
    const place = { ...from, depth: from.depth + 1 };
    if (!this.mayRead(text.length, place.depth)) return;
    if (hasGap(text)) this.doubtScript("a script that is put together when it runs", place);
    try {
      const script = parse(text);
      this.values.collect(script);
      this.visit(script, place);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      this.unsure.push("more levels than can be checked");
    }
  }

  private visit(node: SyntaxNode, place: Place): void {
    if (this.isFull()) return;
    if (node.type === "Script")
      for (const { message } of (node as ParsedScript).errors ?? []) this.doubtScript(message, place);
    this.evaluation.see(node);
    if ("script" in node && node.script === undefined) this.doubtScript("a substitution that cannot be read", place);
    if (node.type === "Redirected") {
      const around = redirectionsIn(node.redirects);
      this.add(this.noted({ words: [], ...around }, place), place);
      if (around.isFed) {
        this.children(node, { ...place, isFedAround: true, ...(around.feed !== undefined && { input: around.feed }) });
        return;
      }
    }
    if ((node.type === "For" || node.type === "Select") && steeringOf(`${node.name.text}=`) !== undefined)
      this.doubt(`a loop that sets ${node.name.text}`);
    const piped = { ...place, isPiped: true };
    if (node.type === "Pipeline") this.pipe(node.commands, place);
    else this.children(node, node.type === "Function" ? piped : place);
    if (node.type === "Command") this.runAsFilled(node, this.noted(simpleCommandOf(node), place), place);
  }

  private pipe(commands: readonly SyntaxNode[], place: Place): void {
    let input = place.input ?? "";
    for (const [at, node] of commands.entries()) {
      this.visit(node, at > 0 ? { ...place, isPiped: true, input } : place);
      input += `${input === "" ? "" : "\n"}${textPrintedBy(node, this.values)}`;
    }
  }

  /**
   * Runs a command as written, and with the possible values of its variables: one word may become several, including dangerous
   * options.
   */
  private runAsFilled(node: Command, given: SimpleCommand, place: Place): void {
    this.run(given, place);
    if (place.isText || !given.words.some(hasGap)) return;
    const words = node.suffix.flatMap((part) => (part.type === "Word" ? [part] : []));
    const { variants, isCut } = this.values.filled(node.name ? [node.name, ...words] : words);
    for (const variant of variants) this.run({ ...given, words: variant }, { ...place, sure: false });
    const name = bareName(given.words[0] ?? "");
    if (runsByOptions(name) && words.some((word) => isAnyWords(word, name))) this.doubt(`the arguments of ${name}`);
    if (isCut && !isQuiet(name, given.words)) this.doubt("too many values of its variables");
  }

  private children(node: SyntaxNode, place: Place): void {
    forEachChild(node, (child) => this.visit(child, place));
  }

  /** Reads the substitutions in a text that is not a script. */
  private readSubstitutions(text: string, place: Place): void {
    const end = `E${text.length}`;
    if (!text.includes(end)) this.read(`: <<${end}\n${text}\n${end}\n`, { ...place, sure: false, isText: true });
  }

  /** Records a command's here-document and the files that it writes. */
  private noted(given: SimpleCommand, place: Place): SimpleCommand {
    const { feed, targets = [], isOpen } = given;
    if (isOpen) this.doubtScript("a here-document without its end", place);
    if (feed !== undefined) this.evaluation.note(feed);
    for (const target of targets) this.written.write(target, feed);
    return given;
  }

  /** Reads a file that is run and that the same script wrote before. */
  private readWritten(path: string, place: Place): void {
    const isWritten = this.written.mayBe(path);
    const text = this.written.textOf(path);
    if (isWritten && text !== undefined) this.read(text, { ...place, sure: false });
    else if (isWritten) this.doubt("a file that the command itself writes");
  }

  private run(given: SimpleCommand, place: Place): void {
    const { words, assignments = [], feed } = given;
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
    this.written.noteWords(name, words);
    if (!place.isText) {
      (name === "git" ? this.steering : this.loaded).push(...loadedBy(name, words));
      this.programs.add(name);
    }
    if (name === "exec" && words.length === 1 && given.isFed) this.isInputSet = true;
    const input = given.feed ?? (given.isFed ? undefined : place.input);
    const shell = shellCode(name, words);
    if (shell) {
      if (shell.unsure !== undefined) this.doubt(shell.unsure);
      if (shell.script !== undefined) this.read(shell.script, place);
      for (const file of [...(shell.file === undefined ? [] : [shell.file]), ...(shell.also ?? [])])
        this.files.push({ path: file, place });
      if (shell.reads && feed !== undefined && isForeign(name, feed)) this.doubt(`a script for ${name}`);
      if (shell.reads && feed !== undefined) this.read(feed, place);
      else if (shell.reads) this.doubt(`the standard input of ${name}`);
      return;
    }
    const doubt = doubtAbout(name, words, place.isPiped || (given.isFed ?? false));
    if (doubt !== undefined) this.doubt(doubt);
    const inner = innerOf(name, words);
    if (inner) this.runInner(inner, given, place);
    if (input !== undefined && !(inner && !isVague(name)) && !readsOnly(name, words))
      this.readInput(input, words, given, place);
    const tool = toolInner(name, words);
    if (tool) this.runInner(tool, given, place);
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
