import { forEachChild, type SyntaxNode } from "unbash";
import { gapped, hasGap } from "./gaps.ts";

const EVALUATING = /^(?:Arithmetic|Test(?:Command|Unary|Binary)$|Transform$|Slice$)/;
const COMPARING = /^-(?:eq|ne|lt|le|gt|ge|v)$/;
/** Substitutions that print only numbers, whatever their input. */
const NUMBERS =
  /^(?:\$\(|`)(?:[\s\S]*\|)?\s*(?:wc|date|nproc|expr|seq|id|getconf|stat -c|(?:e|f)?grep -c|rg -c|git rev-list --count)\b[^|]*[)`]$/;

/**
 * Finds substitutions that arithmetic in a script may run. Arithmetic evaluates a variable's value as an expression, and a
 * subscript in it may contain a command substitution.
 */
export class Evaluation {
  private readonly texts: string[] = [];
  private evaluates = false;
  private calculates = false;
  private isComputed = false;

  see(node: SyntaxNode): void {
    if (EVALUATING.test(node.type)) this.evaluates = true;
    if (node.type.startsWith("Arithmetic") && node.type !== "ArithmeticCommandExpansion") this.calculates = true;
    if ("operator" in node && COMPARING.test(String(node.operator))) this.calculates = true;
    if (node.type === "Word") this.note(gapped(node));
    if (node.type === "Assignment" && node.value.type === "Word") {
      const value = gapped(node.value);
      // Brackets or backquotes around an unknown part may form a subscript or a substitution.
      if ((hasGap(value) && /[[\](`]/.test(value)) || runsOthers(node.value)) this.isComputed = true;
    }
  }

  /** Keeps a text that contains a substitution, as written. */
  note(text: string): void {
    if (!/\$\(|`/.test(text)) return;
    this.texts.push(text);
    if (/\[[^\]]*(?:\$\(|`)/.test(text)) this.evaluates = true;
  }

  /** Texts whose substitutions arithmetic may run. */
  get evaluated(): readonly string[] {
    return this.evaluates ? this.texts : [];
  }

  /** Whether arithmetic may evaluate text that the script assembles at run time. */
  get isUnsure(): boolean {
    const isCut = (text: string) =>
      text.split("$(").length > text.split(")").length || text.split("`").length % 2 === 0;
    return this.calculates && (this.isComputed || this.texts.some(isCut));
  }
}

/** Whether a word contains a substitution whose output is unknown. */
function runsOthers(node: SyntaxNode): boolean {
  if (node.type === "CommandExpansion") return !NUMBERS.test(node.text);
  if (node.type === "ArithmeticExpansion") return false;
  let found = false;
  forEachChild(node, (child) => {
    found ||= runsOthers(child);
  });
  return found;
}
