import type { Word } from "unbash";
import { withoutPlainBraces } from "../files/globs.ts";

/** One piece of a command, in normalised spelling. */
export interface Token {
  kind: "word" | "assignment" | "redirect";
  text: string;
  /** The value after shell expansion, when it is known without running anything. */
  value?: string;
  /** Whether wildcards must not match this token, so that a rule has to spell it out. */
  marked: boolean;
}

const PLAIN = /^[\w@%+=:,./^-]+$/;

/** The token of a word. */
export function word(node: Word): Token {
  const value = staticValue(node) ?? literalDocument(node);
  if (value === undefined) return { kind: "word", text: node.text, marked: true };
  return { kind: "word", text: spelled(value), value, marked: false };
}

/** Quotes a value in one normal form, whichever way it was written. */
export function spelled(value: string): string {
  return PLAIN.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** The word's value, unless the shell still has to expand something in it. */
export function staticValue({ text, value, parts }: Word): string | undefined {
  // The shell expands a tilde at the start, and after `=` and `:` in assignments.
  if (/(?:^|[=:])~/.test(text)) return undefined;
  if (!parts) return isLiteral(text) ? value : undefined;
  const known = parts.every((part) => {
    if (part.type === "Literal") return isLiteral(part.text);
    if (part.type === "SingleQuoted") return true;
    return (
      part.type === "DoubleQuoted" &&
      part.parts.every((inner) => inner.type === "Literal" && !/[$`]/.test(bare(inner.text)))
    );
  });
  return known ? value : undefined;
}

/**
 * The text of `"$(cat <<'EOF' … EOF)"`: a here-document with a quoted delimiter is not expanded, and the shell removes trailing
 * newlines. Undefined for any other word.
 */
function literalDocument({ parts }: Word): string | undefined {
  const [quoted, ...others] = parts ?? [];
  if (quoted?.type !== "DoubleQuoted" || others.length > 0 || quoted.parts.length !== 1) return undefined;
  const [inner] = quoted.parts;
  if (inner?.type !== "CommandExpansion" || !inner.text.startsWith("$(") || inner.script?.commands.length !== 1)
    return undefined;
  const [statement] = inner.script.commands;
  if (statement?.command.type !== "Command" || statement.background) return undefined;
  const { name, prefix, suffix } = statement.command;
  const [document] = suffix;
  if (name?.text !== "cat" || prefix.length > 0 || suffix.length !== 1 || document?.type !== "HereDoc")
    return undefined;
  const isWhole = document.operator === "<<" && document.delimiter?.quoted && document.closing && !document.descriptor;
  return isWhole ? document.body.text.replace(/\n+$/, "") : undefined;
}

/** The parser also reports this. It is checked twice because a mistake here could run a program. */
function isLiteral(text: string): boolean {
  if (text === "{}" || text === "[") return true;
  return !text.startsWith("{") && !/[$`*?[{]/.test(withoutPlainBraces(bare(text)));
}

function bare(text: string): string {
  return text.replace(/\\[\s\S]/g, "");
}
