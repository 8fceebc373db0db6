import { type Command, forEachChild, type ParsedScript, parse, type Redirected, type SyntaxNode } from "unbash";
import { Evaluation } from "./evaluation.ts";
import { Findings } from "./findings.ts";
import { hasGap } from "./gaps.ts";
import { bareName } from "./hazards.ts";
import { textPrintedBy } from "./printed-text.ts";
import { isQuiet, steeringOf } from "./programs.ts";
import { runsByOptions } from "./running-options.ts";
import { redirectionsIn, type SimpleCommand, simpleCommandOf } from "./simple-command.ts";
import { isAnyWords, Values } from "./values.ts";
import { WrittenFiles } from "./written-files.ts";

/** Where in a script a command is, and what is known about its standard input. */
export interface Place {
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
/** Walks through the syntax of scripts, and calls `run` for each command. */
export abstract class ScriptReader extends Findings {
  protected readonly written = new WrittenFiles();
  protected readonly evaluation = new Evaluation();
  private readonly values = new Values();

  /** Judges a command that the script may run. */
  protected abstract run(given: SimpleCommand, place: Place): void;

  /** Adds a doubt that plain text, which is not a script, would often raise by mistake. */
  protected doubtScript(why: string, { isText }: Place): void {
    if (!isText) this.doubt(why);
  }

  protected read(text: string, from: Place): void {
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
      this.visitRedirected(node, place);
      return;
    }
    if ((node.type === "For" || node.type === "Select") && steeringOf(`${node.name.text}=`) !== undefined)
      this.doubt(`a loop that sets ${node.name.text}`);
    const piped = { ...place, isPiped: true };
    if (node.type === "Pipeline") this.pipe(node.commands, place);
    else this.children(node, node.type === "Function" ? piped : place);
    if (node.type === "Command") this.runAsFilled(node, this.noted(simpleCommandOf(node), place), place);
  }

  private visitRedirected(node: Redirected, place: Place): void {
    const around = redirectionsIn(node.redirects);
    this.add(this.noted({ words: [], ...around }, place), place);
    const { isFed, feed } = around;
    const inside = isFed ? { ...place, isFedAround: true, ...(feed !== undefined && { input: feed }) } : place;
    this.children(node, inside);
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
  protected readSubstitutions(text: string, place: Place): void {
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
}
