import { type Member, membersOf, withoutTexts } from "./members.ts";

/** The most expressions that are followed to find a plugin. */
const MOST_STEPS = 50;

/** The object or class that a file exports as its plugin, as far as it can be found in the source. */
export interface ExportedPlugin {
  members: Member[];
  /** Whether it is an object literal and not a class. */
  isLiteral: boolean;
  /** Whether all members are known: it is an object literal without spread members. */
  isWhole: boolean;
}

/** Finds the plugin behind the default export, through names, calls and functions of the same file. Undefined if it is computed. */
export function exportedPlugin(source: string): ExportedPlugin | undefined {
  const code = withoutTexts(source);
  const open = new Finder(code).exported();
  if (open === undefined) return undefined;
  const members = membersOf(source, code, open);
  const isClass = /\bclass\b[^;{}]*$/.test(code.slice(0, open));
  return { members, isLiteral: !isClass, isWhole: !isClass && !hasSpread(code, open) };
}

/** The id of the plugin that a file exports; undefined if it is computed. */
export function exportedId(source: string): string | undefined {
  const member = exportedPlugin(source)?.members.find(({ name }) => name === "id");
  if (!member) return undefined;
  const written =
    /^\s*(?::\s*string\s*=|[:=])\s*(?:(["'`])([^"'`$\n]*)\1|([A-Za-z_$][\w$]*))\s*(?:as\s+const\s*)?(?:[,;})\n]|$)/.exec(
      member.text,
    );
  if (written?.[2] !== undefined) return written[2];
  const constant = written?.[3] ?? (/^\s*(?:[,}]|$)/.test(member.text) ? "id" : undefined);
  return constant === undefined ? undefined : constantIn(source, constant);
}

function constantIn(source: string, name: string): string | undefined {
  const declared = `\\bconst\\s+${escaped(name)}\\s*(?::\\s*string\\s*)?=\\s*(["'\`])([^"'\`$\\n]*)\\1`;
  return new RegExp(declared).exec(source)?.[2];
}

function hasSpread(code: string, open: number): boolean {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (depth === 1 && code.startsWith("...", at)) return true;
    if ("([{".includes(code[at] as string)) depth++;
    else if (")]}".includes(code[at] as string) && --depth === 0) return false;
  }
  return false;
}

const escaped = (name: string) => name.replaceAll("$", "\\$");

/** Follows expressions in source code without strings and comments to the brace of an object literal or class. */
class Finder {
  private readonly code: string;
  /** The names that were followed, since they can refer to each other in a circle. */
  private readonly seen = new Set<string>();
  /** The number of expressions that may still be followed. */
  private left = MOST_STEPS;

  constructor(code: string) {
    this.code = code;
  }

  exported(): number | undefined {
    const named = /\bexport\s*\{(?:[^{}]*[^{}\w$])?([A-Za-z_$][\w$]*)\s+as\s+default\b/.exec(this.code)?.[1];
    if (named !== undefined) return this.declared(named);
    const exports = /\bexport\s+default\b|\bmodule\.exports\s*=(?!=)|\bexports\.default\s*=(?!=)/g;
    const last = [...this.code.matchAll(exports)].at(-1);
    return last && this.value(last.index + last[0].length);
  }

  /** The index of the opening brace of the object or class that the expression at this index evaluates to. */
  private value(from: number): number | undefined {
    if (this.left-- <= 0) return undefined;
    const { code } = this;
    const at = from + (/^(?:\s|\b(?:await|new|async|abstract)\b)*/.exec(code.slice(from))?.[0].length ?? 0);
    const rest = code.slice(at, at + 2000);
    if (rest.startsWith("{")) return at;
    if (/^class\b/.test(rest)) return this.next("{", at);
    if (/^function\b/.test(rest)) return this.returned(this.bodyAfter(this.next("(", at)));
    const arrow = this.arrowAfter(at);
    if (arrow !== undefined) return code[arrow] === "{" ? this.returned(arrow) : this.value(arrow);
    if (rest.startsWith("(")) return this.value(at + 1);
    const word = /^([A-Za-z_$][\w$]*)(?:\.[\w$]+)*\s*(?:<[^()]*>)?\s*(\(?)/.exec(rest);
    if (!word?.[1]) return undefined;
    return this.declared(word[1]) ?? (word[2] === "(" ? this.value(at + word[0].length) : undefined);
  }

  /** The index of the opening brace of the value that a name is declared with in this file. */
  private declared(name: string): number | undefined {
    if (this.seen.has(name)) return undefined;
    this.seen.add(name);
    const word = `${escaped(name)}(?![\\w$])`;
    const variable = new RegExp(`\\b(?:const|let|var)\\s+${word}[^=;]*=(?!=)`).exec(this.code);
    if (variable) return this.value(variable.index + variable[0].length);
    const other = new RegExp(`\\b(?:function\\s*\\*?|class)\\s+${word}`).exec(this.code);
    return other ? this.value(other.index) : undefined;
  }

  /** The index of the first character of an arrow function's body, if an arrow function begins here. */
  private arrowAfter(at: number): number | undefined {
    const { code } = this;
    const end = code[at] === "(" ? this.closing(at) : undefined;
    const from = end === undefined ? at : end + 1;
    const arrow = (end === undefined ? /^[A-Za-z_$][\w$]*\s*=>\s*/ : /^\s*(?::[^=;{]*)?=>\s*/).exec(code.slice(from));
    return arrow ? from + arrow[0].length : undefined;
  }

  private bodyAfter(parameters: number | undefined): number | undefined {
    const end = parameters === undefined ? undefined : this.closing(parameters);
    return end === undefined ? undefined : this.next("{", end);
  }

  /** The index of the opening brace of the value that a function returns last. Ignores `return` in nested functions. */
  private returned(body: number | undefined): number | undefined {
    if (body === undefined) return undefined;
    const { code } = this;
    let depth = 0;
    let last: number | undefined;
    for (let at = body; at < code.length; at++) {
      if ("([{".includes(code[at] as string)) depth++;
      else if (")]}".includes(code[at] as string) && --depth === 0) break;
      else if (depth === 1 && /^[^\w$.]return\b/.test(code.slice(at, at + 8))) last = at + " return".length;
    }
    return last === undefined ? undefined : this.value(last);
  }

  private next(char: string, from: number): number | undefined {
    const at = this.code.indexOf(char, from);
    return at < 0 ? undefined : at;
  }

  private closing(open: number): number | undefined {
    let depth = 0;
    for (let at = open; at < this.code.length; at++) {
      if ("([{".includes(this.code[at] as string)) depth++;
      else if (")]}".includes(this.code[at] as string) && --depth === 0) return at;
    }
    return undefined;
  }
}
