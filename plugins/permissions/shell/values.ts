import { type Command, forEachChild, type SyntaxNode, type Word, type WordPart } from "unbash";
import { gapped, gappedPart } from "./gaps.ts";

/** A possible value: a list of words, or one text that the shell splits at blanks. */
type Value = readonly string[] | string;

const MAX_VALUES = 16;
const MAX_VARIANTS = 16;
/** Stands for `$1`, `$@` and so on: the arguments of a script or function. */
const ARGUMENTS = "@";

/**
 * Possible values of variables, as found in the script. They are never complete, so they only add readings of a command: an
 * unquoted word may become several, including options.
 */
export class Values {
  private readonly known = new Map<string, Value[]>();
  private readonly functions = new Set<string>();
  /** Characters that words are split at; IFS can add more. */
  private separators = " \t\n";

  /** Collects values from a script, before its commands are read. */
  collect(node: SyntaxNode): void {
    if (node.type === "Function") this.functions.add(node.name.text);
    if (node.type === "For" || node.type === "Select")
      for (const word of node.wordlist ?? []) this.note(node.name.text, gapped(word));
    if (node.type === "Assignment" && node.name !== undefined && node.value !== undefined) this.assign(node);
    if (node.type === "Command") this.collectCommand(node);
    forEachChild(node, (child) => this.collect(child));
  }

  private assign(node: Extract<SyntaxNode, { type: "Assignment" }>): void {
    const { name = "", value, append } = node;
    if (!value) return;
    const before = append ? [...(this.known.get(name) ?? [])] : [];
    const all: Value[] = value.type === "Word" ? this.textsIn(value) : [value.elements.map(gapped)];
    for (const own of all) {
      if (name === "IFS" && typeof own === "string") this.separators += own;
      this.note(name, own);
      for (const first of before) this.note(name, joined(first, own));
    }
  }

  /** The values that an assignment may give; its word is not split. */
  private textsIn(word: Word): string[] {
    const [plain, ...others] = this.formsOf(word).map((form) => form.join(" "));
    return others.length > 0 ? others : [plain as string];
  }

  private collectCommand(node: Command): void {
    const [name = "", ...words] = [
      ...(node.name ? [node.name] : []),
      ...node.suffix.filter(({ type }) => type === "Word"),
    ].map((word) => gapped(word as Word));
    if (name === "set" || this.functions.has(name))
      this.note(
        ARGUMENTS,
        words.filter((word) => word !== "--"),
      );
    if (/^(?:\S*\/)?\w*sh$/.test(name))
      this.note(ARGUMENTS, words.slice(words.findIndex((word) => /^-\w*c/.test(word)) + 3));
    if (name === "printf" && words[0] === "-v") this.note(words[1] ?? "", words.slice(2).join(" "));
    if (name === "read")
      for (const part of node.suffix)
        if (part.type === "HereString" && part.target) for (const word of words) this.note(word, gapped(part.target));
  }

  private note(name: string, value: Value): void {
    const all = this.known.get(name) ?? [];
    const isOld = all.some((other) => JSON.stringify(other) === JSON.stringify(value));
    if (!isOld && all.length < MAX_VALUES) this.known.set(name, [...all, value]);
  }

  /** The possible words of a command with its variables filled in, up to a limit. */
  filled(words: readonly Word[]): { variants: string[][]; isCut: boolean } {
    let variants: string[][] = [[]];
    let isFilled = false;
    for (const word of words) {
      const forms = this.formsOf(word);
      isFilled ||= forms.length > 1;
      const more = variants.flatMap((variant) => forms.map((form) => [...variant, ...form]));
      if (more.length > MAX_VARIANTS)
        return { variants: [...more.slice(0, MAX_VARIANTS), ...manyNames(words)], isCut: true };
      variants = more;
    }
    return { variants: [...(isFilled ? variants.slice(1) : []), ...manyNames(words)], isCut: false };
  }

  /** The possible readings of one word. The first has gaps. */
  private formsOf(word: Word): string[][] {
    const plain = [gapped(word)];
    if (!word.parts?.some((part) => this.isKnown(part))) return [plain];
    const hasLetters = word.parts.some(({ type }) => type === "Literal" || type.endsWith("Quoted"));
    return [plain, ...product(word.parts.map((part) => this.formsOfPart(part, hasLetters)))];
  }

  private isKnown(part: WordPart): boolean {
    if (part.type === "DoubleQuoted" || part.type === "LocaleString") return part.parts.some((it) => this.isKnown(it));
    return this.textsOf(part).length > 0;
  }

  /** The possible words for one part of a word. */
  private formsOfPart(part: WordPart, hasLetters: boolean): string[][] {
    if (part.type === "DoubleQuoted" || part.type === "LocaleString")
      return product(
        part.parts.map((inner) => {
          const texts = this.textsOf(inner);
          return texts.length > 0 ? texts.map(listOf) : [[gappedPart(inner, true)]];
        }),
      );
    const texts = this.textsOf(part);
    if (texts.length === 0) return [[gappedPart(part, hasLetters && part.type === "Glob")]];
    return texts.map((value) => listOf(value).flatMap((text) => this.split(text)));
  }

  private split(text: string): string[] {
    const at = new RegExp(`[${this.separators.replace(/[\\\]^-]/g, "\\$&")}]+`);
    return text.split(at).filter((word) => word !== "");
  }

  /** The possible values of an expansion. */
  private textsOf(part: WordPart): readonly Value[] {
    if (part.type === "SimpleExpansion") return this.valuesNamed(part.text.slice(1));
    if (part.type === "CommandExpansion") return printedBy(part.script) ?? [];
    if (part.type !== "ParameterExpansion") return [];
    const { parameter, operation } = part;
    const operand = operation && "operand" in operation ? operation.operand : undefined;
    const other = operand && "text" in operand ? [gapped(operand as Word)] : [];
    return [...this.valuesNamed(parameter), ...other];
  }

  private valuesNamed(name: string): readonly Value[] {
    return this.known.get(/^[@*]$|^\d+$/.test(name) ? ARGUMENTS : name) ?? [];
  }
}

/** Commands that print file names, not contents. */
const LISTING =
  /^(?:\$\(|`)(?![\s\S]*(?:printf|format))\s*(?:pwd|which|command -v|mktemp|dirname|basename|realpath|readlink|find|fd|ls|rg (?:-l|--files)|grep -[a-zA-Z]*l|git (?:ls-files|diff --name-only|rev-parse|merge-base|branch)|npm (?:root|bin)|go list)\b[^|;&]*(?:\|\s*(?:head|tail|sort|uniq|grep)\b[^|;&]*)*[)`]$/;

/** Whether an unquoted word may expand to any words, including options. */
export function isAnyWords({ parts }: Word, program: string): boolean {
  const [first] = parts ?? [];
  if (first?.type === "CommandExpansion") return !LISTING.test(first.text) && printedBy(first.script) === undefined;
  // A file name that starts with a dash is rare, and only find and fd are affected.
  return first?.type === "Glob" && parts?.length === 1 && /^(?:find|fd|fdfind)$/.test(program);
}

/** The words with each glob expanded to two names, and to three. */
function manyNames(words: readonly Word[]): string[][] {
  const isPattern = ({ parts }: Word) => parts?.some(({ type }) => type === "Glob") ?? false;
  if (!words.some(isPattern)) return [];
  return [2, 3].map((count) => words.flatMap((word) => Array<string>(isPattern(word) ? count : 1).fill(gapped(word))));
}

function listOf(value: Value): readonly string[] {
  return typeof value === "string" ? [value] : value;
}

/** Every combination of one form for each part. */
function product(parts: readonly (readonly (readonly string[])[])[]): string[][] {
  let forms: string[][] = [[""]];
  for (const values of parts)
    forms = forms.flatMap((form) => values.map((value) => glued(form, value))).slice(0, MAX_VARIANTS);
  return forms;
}

function joined(first: Value, second: Value): Value {
  if (typeof first === "string" && typeof second === "string") return first + second;
  return [...listOf(first), ...listOf(second)];
}

/** Concatenates two parts of a word, joining the words where they meet. */
function glued(form: readonly string[], value: readonly string[]): string[] {
  if (value.length === 0) return [...form];
  return [...form.slice(0, -1), (form.at(-1) ?? "") + (value[0] ?? ""), ...value.slice(1)];
}

/** What a substitution prints, if it is a single echo or printf. */
function printedBy(script: SyntaxNode | undefined): string[] | undefined {
  const only = script?.type === "Script" && script.commands.length === 1 ? script.commands[0]?.command : undefined;
  if (only?.type !== "Command" || !/^(?:echo|printf)$/.test(only.name?.value ?? "")) return undefined;
  return [only.suffix.flatMap((part) => (part.type === "Word" ? [gapped(part)] : [])).join(" ")];
}
