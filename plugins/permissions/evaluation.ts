import { forEachChild, type SyntaxNode } from "unbash";
import { gapped, hasGap } from "./gaps.ts";

const EVALUATING = /^(?:Arithmetic|Test(?:Command|Unary|Binary)$|Transform$|Slice$)/;
const COMPARING = /^-(?:eq|ne|lt|le|gt|ge|v)$/;
/** What prints numbers only, whatever it is given. */
const NUMBERS =
  /^(?:\$\(|`)(?:[\s\S]*\|)?\s*(?:wc|date|nproc|expr|seq|id|getconf|stat -c|(?:e|f)?grep -c|rg -c|git rev-list --count)\b[^|]*[)`]$/;

/**
 * What arithmetic in a script may evaluate. The value of a variable is an expression there, and a subscript in it may hold a
 * substitution, which runs.
 */
export class Evaluation {
  private readonly texts: string[] = [];
  private evaluates = false;
  private calculates = false;
  private isComputed = false;

  /** Looks at a node of the script. */
  see(node: SyntaxNode): void {
    if (EVALUATING.test(node.type)) this.evaluates = true;
    if (node.type.startsWith("Arithmetic") && node.type !== "ArithmeticCommandExpansion") this.calculates = true;
    if ("operator" in node && COMPARING.test(String(node.operator))) this.calculates = true;
    if (node.type === "Word") this.note(gapped(node));
    if (node.type === "Assignment" && node.value.type === "Word") {
      const value = gapped(node.value);
      // Letters around a gap that belong to a subscript or a substitution.
      if ((hasGap(value) && /[[\](`]/.test(value)) || runsOthers(node.value)) this.isComputed = true;
    }
  }

  /** Keeps a text that holds a substitution as it is written. */
  note(text: string): void {
    if (!/\$\(|`/.test(text)) return;
    this.texts.push(text);
    if (/\[[^\]]*(?:\$\(|`)/.test(text)) this.evaluates = true;
  }

  /** Texts whose substitutions may run. */
  get evaluated(): readonly string[] {
    return this.evaluates ? this.texts : [];
  }

  /** Whether arithmetic may evaluate something that the script puts together. */
  get isUnsure(): boolean {
    const isCut = (text: string) =>
      text.split("$(").length > text.split(")").length || text.split("`").length % 2 === 0;
    return this.calculates && (this.isComputed || this.texts.some(isCut));
  }
}

/** Whether a word holds a substitution that may print anything. */
function runsOthers(node: SyntaxNode): boolean {
  if (node.type === "CommandExpansion") return !NUMBERS.test(node.text);
  if (node.type === "ArithmeticExpansion") return false;
  let found = false;
  forEachChild(node, (child) => {
    found ||= runsOthers(child);
  });
  return found;
}
